package definition

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// maxAppliedFieldsV1 is the limit of status.appliedFields in the definition of version 1.
const maxAppliedFieldsV1 = 128

// MaxAppliedFields returns how many characters status.appliedFields may have: as the definition said when it was read last, or as
// that of version 1 said if it was not read.
func (d *Definition) MaxAppliedFields() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.status.maxAppliedFields == 0 {
		return maxAppliedFieldsV1
	}
	return d.status.maxAppliedFields
}

// HasStatusField reports whether the status has the field, as the definition said when it was read last. Earlier versions lack some fields,
// and the API server drops what the definition lacks.
//
// A definition that could not be read yet is taken for that of this version, unless the operator is not allowed to read it: no event would
// complete the status of a rule that is in sync. If it is of an earlier version, each reconcile until it is read writes a status in vain.
func (d *Definition) HasStatusField(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.began && d.unread != "" && !d.denied {
		return d.statusFields[name]
	}
	return d.status.fields[name]
}

// statusSchema is what is known of the status of rules.
type statusSchema struct {
	// maxAppliedFields is the limit of appliedFields; 0 if it is not known.
	maxAppliedFields int
	fields           map[string]bool
}

func statusSchemaOf(properties map[string]any) statusSchema {
	status, _, _ := unstructured.NestedFieldNoCopy(properties, "status", "properties")
	known := map[string]bool{}
	if fields, ok := status.(map[string]any); ok {
		for name := range fields {
			known[name] = true
		}
	}
	return statusSchema{maxAppliedFields: maxLength(properties, "appliedFields"), fields: known}
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
