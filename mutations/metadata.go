package mutations

import "projection.sh/operator/primitives/unstructured"

// keepIntentMetadata drops everything of metadata that the API server or somebody else assigned: an allow-list, so that
// owner references, finalizers and what future versions add do not travel. Labels and annotations that are not strings
// go, too, as no API server accepts them.
func keepIntentMetadata() unstructured.Mutation {
	return always(KeepIntentMetadata, func(content map[string]any) {
		metadata := child(content, metadataField)
		kept := map[string]any{}
		for _, field := range []string{"name", "namespace"} {
			if value := text(metadata, field); value != "" {
				kept[field] = value
			}
		}
		for _, field := range []string{labelsField, annotationsField} {
			if entries := stringEntries(child(metadata, field)); len(entries) > 0 {
				kept[field] = entries
			}
		}
		content[metadataField] = kept
	})
}

func stringEntries(entries map[string]any) map[string]any {
	kept := make(map[string]any, len(entries))
	for key, value := range entries {
		if _, ok := value.(string); ok {
			kept[key] = value
		}
	}
	return kept
}

// removeMarks deletes the labels and the annotations that match.
func removeMarks(content map[string]any, match func(key, value string) bool) {
	metadata := child(content, metadataField)
	removeEntries(metadata, labelsField, match)
	removeEntries(metadata, annotationsField, match)
}
