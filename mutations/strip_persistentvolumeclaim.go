package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripPersistentVolumeClaim unbinds the claim: a volume serves one claim only, and a claim that says it is bound
// is lost without its volume.
func stripPersistentVolumeClaim(in Input) unstructured.Mutation {
	return strip(StripPersistentVolumeClaim, in, allocated{
		kind: schema.GroupKind{Kind: "PersistentVolumeClaim"},
		annotations: []string{
			"pv.kubernetes.io/bind-completed",
			"pv.kubernetes.io/bound-by-controller",
			"pv.kubernetes.io/migrated-to",
			"volume.kubernetes.io/storage-provisioner",
			"volume.beta.kubernetes.io/storage-provisioner",
			"volume.kubernetes.io/selected-node",
			"volume.kubernetes.io/storage-resizer",
		},
		fields: [][]string{{specField, "volumeName"}},
	})
}
