package mutations

const (
	metadataField    = "metadata"
	labelsField      = "labels"
	annotationsField = "annotations"
	specField        = "spec"
)

// The accessors below read and thin out content of any shape: what is absent or of another type counts as empty.
// Reading and deleting from the nil map that they return then is harmless.

// child returns the map at the path.
func child(content map[string]any, path ...string) map[string]any {
	for _, field := range path {
		content, _ = content[field].(map[string]any)
	}
	return content
}

// items returns those items of the list at the field that are maps.
func items(content map[string]any, field string) []map[string]any {
	list, _ := content[field].([]any)
	found := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok {
			found = append(found, fields)
		}
	}
	return found
}

// remove deletes the field at the path and nothing above it.
func remove(content map[string]any, path ...string) {
	last := len(path) - 1
	delete(child(content, path[:last]...), path[last])
}

// removeEntries deletes the entries of the map at the field that match, and the map itself if none is left.
// A value that is no string is offered as "".
func removeEntries(content map[string]any, field string, match func(key, value string) bool) {
	entries, ok := content[field].(map[string]any)
	if !ok {
		return
	}
	for key, value := range entries {
		if text, _ := value.(string); match(key, text) {
			delete(entries, key)
		}
	}
	if len(entries) == 0 {
		delete(content, field)
	}
}

// removeItems deletes those items of the list at the field that are maps and match, and the list itself if none is
// left. A list that was empty before stays.
func removeItems(content map[string]any, field string, match func(item map[string]any) bool) {
	list, ok := content[field].([]any)
	if !ok {
		return
	}
	kept := make([]any, 0, len(list))
	for _, item := range list {
		if fields, ok := item.(map[string]any); !ok || !match(fields) {
			kept = append(kept, item)
		}
	}
	switch {
	case len(kept) == len(list):
	case len(kept) == 0:
		delete(content, field)
	default:
		content[field] = kept
	}
}

// text returns the string at the field, or "".
func text(content map[string]any, field string) string {
	value, _ := content[field].(string)
	return value
}
