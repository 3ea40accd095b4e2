package definition

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// maxAppliedFieldsV1 is the limit of status.appliedFields in the definition of version 1.
const maxAppliedFieldsV1 = 128

// MaxAppliedFields returns how many characters status.appliedFields may have: as the definition said when it was read last, or as
// that of version 1 said if it was not read.
func (d *Definition) MaxAppliedFields() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.maxAppliedFields == 0 {
		return maxAppliedFieldsV1
	}
	return d.maxAppliedFields
}

// maxLength returns the limit of a field of the status; 0 if the schema has none.
func maxLength(properties map[string]any, field string) int {
	limit, _, _ := unstructured.NestedFieldNoCopy(properties, "status", "properties", field, "maxLength")
	switch limit := limit.(type) {
	case int64:
		return int(limit)
	case float64:
		return int(limit)
	default:
		return 0
	}
}
