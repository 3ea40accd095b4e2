package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestKeepIntentMetadata(t *testing.T) {
	run(t, mutations.KeepIntentMetadata, mutations.Input{}, []row{
		{
			name: "nothing else travels",
			before: `
metadata:
  name: copy
  namespace: target
  labels: {app: shop}
  annotations: {note: kept}
  generateName: shop-
  uid: 8e1f4a52
  resourceVersion: "42"
  generation: 3
  creationTimestamp: "2026-01-01T00:00:00Z"
  deletionTimestamp: "2026-01-02T00:00:00Z"
  deletionGracePeriodSeconds: 30
  selfLink: /api/v1/x
  finalizers: [example.com/keep]
  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}]
  managedFields: [{manager: kubectl}]
  future: whatever comes
data: {metadata: kept}`,
			after: `
metadata: {name: copy, namespace: target, labels: {app: shop}, annotations: {note: kept}}
data: {metadata: kept}`,
		},
		{
			name:   "empty maps are not owned",
			before: `metadata: {name: copy, labels: {}, annotations: {}}`,
			after:  `metadata: {name: copy}`,
		},
		{
			name:   "what is no string goes",
			before: `metadata: {name: copy, namespace: 3, labels: {a: 1, b: two}, annotations: [not, a, map]}`,
			after:  `metadata: {name: copy, labels: {b: two}}`,
		},
		{name: "metadata that is no map", before: `metadata: none`, after: `metadata: {}`},
		{name: "no metadata", before: `{}`, after: `metadata: {}`},
	})
}
