package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// stripCSIStorageCapacity drops the name of the provisioner that manages the object: it deletes what it does not know.
func stripCSIStorageCapacity(in Input) unstructured.Mutation {
	return strip(StripCSIStorageCapacity, in, allocated{
		kind:   schema.GroupKind{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"},
		labels: []string{"csi.storage.k8s.io/managed-by"},
	})
}
