package mutations

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// stampPlace annotates the copy with its own place. It comes after the content hash, which all copies share.
func stampPlace(stamp Stamp) unstructured.Mutation {
	return mutation(StampPlace, feature.NewBooleanGate(stamp.PlaceKey != ""), func(content map[string]any) error {
		metadata := child(content, metadataField)
		place := text(metadata, "namespace") + "/" + text(metadata, "name")
		return uns.SetNestedField(content, place, metadataField, annotationsField, stamp.PlaceKey)
	})
}
