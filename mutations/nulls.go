package mutations

import "projection.sh/operator/primitives/unstructured"

// dropNulls drops fields that are null, at any depth: server-side apply would own them as values. Nulls that are items
// of a list stay, because the place of an item has a meaning.
func dropNulls() unstructured.Mutation {
	return always(DropNulls, func(content map[string]any) { removeNulls(content) })
}

func removeNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for field, inner := range value {
			if inner == nil {
				delete(value, field)
			} else {
				removeNulls(inner)
			}
		}
	case []any:
		for _, item := range value {
			removeNulls(item)
		}
	}
}
