package mutations

import (
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// filterMetadata drops the labels and annotations of the source that are not to be copied. It comes after what drops the marks of tools,
// so that Include brings none of them back.
func filterMetadata(chosen Content) unstructured.Mutation {
	gate := feature.NewBooleanGate(!chosen.Labels.isZero() || !chosen.Annotations.isZero())
	return mutation(FilterMetadata, gate, func(content map[string]any) error {
		metadata := child(content, metadataField)
		removeEntries(metadata, labelsField, func(key, _ string) bool { return !chosen.Labels.Keeps(key) })
		removeEntries(metadata, annotationsField, func(key, _ string) bool { return !chosen.Annotations.Keeps(key) })
		return nil
	})
}
