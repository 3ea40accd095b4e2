package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestDropSourceBookkeeping(t *testing.T) {
	run(t, mutations.DropSourceBookkeeping, mutations.Input{}, []row{
		{
			name: "what others note on the source",
			before: `
metadata:
  labels: {app: shop, projection.sh/owned-by-projection-uid: u, projection.sh/anything: x}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{"password":"secret"}}'
    control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"a"}'
    projection.sh/projectable: "true"
    projection.sh/owned-by-projection: a/b
    projection.sh/content-hash: abc
    projection.sh/source: ConfigMap/a/b
    kubernetes.io/description: kept`,
			after: `
metadata:
  labels: {app: shop}
  annotations: {kubernetes.io/description: kept}`,
		},
		{
			name:   "nothing is left",
			before: `metadata: {name: a, annotations: {projection.sh/projectable: "true"}}`,
			after:  `metadata: {name: a}`,
		},
		{
			name:   "the user's own keys that look alike",
			before: `metadata: {annotations: {projection.shop/a: b, my.projection.sh/a: b, projection.sh: c}}`,
		},
		{
			name:   "templates are content",
			before: `spec: {template: {metadata: {annotations: {projection.sh/projectable: "true"}}}}`,
		},
	})
}
