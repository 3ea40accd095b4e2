package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripPod(t *testing.T) {
	run(t, mutations.StripPod, kind("", "Pod"), []row{
		{
			name: "what scheduling and admission put in",
			before: `
metadata: {annotations: {kubernetes.io/limit-ranger: x, kubernetes.io/config.mirror: x, cni.projectcalico.org/podIP: x, note: kept}}
spec:
  nodeName: node-1
  priority: 1000
  preemptionPolicy: Never
  priorityClassName: high
  runtimeClassName: gvisor
  overhead: {cpu: 10m}
  serviceAccountName: shop
  serviceAccount: shop
  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]
  ephemeralContainers: [{name: debug}]`,
			after: `
metadata: {annotations: {note: kept}}
spec:
  priorityClassName: high
  runtimeClassName: gvisor
  serviceAccountName: shop
  serviceAccount: shop
  tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]`,
		},
		{
			name: "the injected token, wherever it is mounted",
			before: `
spec:
  volumes: [{name: data}, {name: kube-api-access-x7k2p, projected: {}}]
  initContainers: [{name: init, volumeMounts: [{name: kube-api-access-x7k2p, mountPath: /var/run}, {name: data, mountPath: /data}]}]
  containers: [{name: a, volumeMounts: [{name: kube-api-access-x7k2p}]}, {name: b, volumeMounts: []}, {name: c}]`,
			after: `
spec:
  volumes: [{name: data}]
  initContainers: [{name: init, volumeMounts: [{name: data, mountPath: /data}]}]
  containers: [{name: a}, {name: b, volumeMounts: []}, {name: c}]`,
		},
		{
			name:   "the token is the only volume",
			before: `spec: {volumes: [{name: kube-api-access-x7k2p}], containers: []}`,
			after:  `spec: {containers: []}`,
		},
		{
			name: "a copy belongs to no controller",
			before: `
metadata:
  labels:
    app: shop
    pod-template-hash: abc
    pod-template-generation: "1"
    controller-revision-hash: abc
    statefulset.kubernetes.io/pod-name: db-0
    apps.kubernetes.io/pod-index: "0"
    batch.kubernetes.io/controller-uid: u
    batch.kubernetes.io/job-name: j
    batch.kubernetes.io/job-completion-index: "0"
    controller-uid: u
    job-name: j`,
			after: `metadata: {labels: {app: shop}}`,
		},
		{name: "labels that only look generated", before: `metadata: {labels: {job-name: backup, controller-uid: mine}}`},
		{
			name:   "no label is left",
			before: `metadata: {name: a, labels: {batch.kubernetes.io/job-name: j, job-name: j}}`,
			after:  `metadata: {name: a}`,
		},
	})
}

func TestStripPodTopology(t *testing.T) {
	rows := []row{{
		name:   "labels of the node",
		before: `metadata: {labels: {app: shop, topology.kubernetes.io/zone: a, topology.kubernetes.io/region: r, topology.kubernetes.io/rack: x}}`,
		after:  `metadata: {labels: {app: shop, topology.kubernetes.io/rack: x}}`,
	}}
	in := kind("", "Pod")
	in.ServerVersion = "v1.35.0"
	run(t, mutations.StripPodTopology, in, rows)
	rows[0].name, rows[0].after = "labels of their author", ""
	in.ServerVersion = "v1.34.0"
	run(t, mutations.StripPodTopology, in, rows)
}
