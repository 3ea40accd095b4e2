package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripPersistentVolumeClaim(t *testing.T) {
	run(t, mutations.StripPersistentVolumeClaim, kind("", "PersistentVolumeClaim"), []row{
		{
			name: "bound",
			before: `
metadata:
  annotations:
    pv.kubernetes.io/bind-completed: "yes"
    pv.kubernetes.io/bound-by-controller: "yes"
    volume.kubernetes.io/storage-provisioner: example.com
    volume.beta.kubernetes.io/storage-provisioner: example.com
    volume.kubernetes.io/selected-node: node-1
    volume.kubernetes.io/storage-resizer: example.com
    volume.beta.kubernetes.io/storage-class: fast
spec: {volumeName: pvc-1, storageClassName: fast, resources: {requests: {storage: 1Gi}}}`,
			after: `
metadata: {annotations: {volume.beta.kubernetes.io/storage-class: fast}}
spec: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}`,
		},
		{name: "not bound yet", before: `spec: {storageClassName: "", dataSource: {kind: PersistentVolumeClaim, name: other}}`},
	})
}
