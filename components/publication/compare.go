package publication

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// setOf returns labels as selectors take them.
func setOf(of map[string]string) labels.Set { return of }

// hashOf returns a hash of a value of JSON; 0: there is none.
func hashOf(value any) uint64 {
	encoded, err := json.Marshal(value)
	if err != nil || value == nil {
		return 0
	}
	sum := fnv.New64a()
	_, _ = sum.Write(encoded)
	return max(sum.Sum64(), 1)
}

// fingerprint of an object of a consumer differs if the object has changed in what its copy depends on, which is all but its status.
func fingerprint(object metav1.Object) uint64 {
	return hashOf([]any{
		object.GetUID(), object.GetGeneration(), object.GetLabels(), object.GetAnnotations(), object.GetDeletionTimestamp(), object.GetFinalizers(),
	})
}

// ownFields returns a hash of the fields of an object that the operator owns by its last apply; 0: it owns none.
func ownFields(object metav1.Object) uint64 {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == fieldManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" && entry.FieldsV1 != nil {
			sum := fnv.New64a()
			_, _ = sum.Write(entry.FieldsV1.GetRawBytes())
			return max(sum.Sum64(), 1)
		}
	}
	return 0
}

// ownStatus returns the fields of the status of an object that the operator owns, as managedFields has them.
func ownStatus(object metav1.Object) map[string]any {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == fieldManager && entry.Subresource == statusField && entry.FieldsV1 != nil {
			fields := map[string]any{}
			if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) == nil { // the API server has written it
				status, _ := fields["f:"+statusField].(map[string]any)
				return status
			}
		}
	}
	return nil
}

// hasMore reports whether fields, as managedFields has them, contain one that the value has not. What is in lists is not looked at.
func hasMore(fields map[string]any, value any) bool {
	content, _ := value.(map[string]any)
	for name, below := range fields {
		field, isField := strings.CutPrefix(name, "f:")
		if !isField {
			continue
		}
		inside, has := content[field]
		rest, _ := below.(map[string]any)
		if !has || hasMore(rest, inside) {
			return true
		}
	}
	return false
}

// contains reports whether an object has all fields of another one, with the same values. Lists have to be of the same length.
func contains(object, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		whole, isMap := object.(map[string]any)
		for key := range maps.Keys(part) {
			value, has := whole[key]
			if !isMap || !has || !contains(value, part[key]) {
				return false
			}
		}
		return isMap
	case []any:
		whole, isList := object.([]any)
		if !isList || len(whole) != len(part) {
			return false
		}
		for i := range part {
			if !contains(whole[i], part[i]) {
				return false
			}
		}
		return true
	default:
		return equality.Semantic.DeepEqual(object, part)
	}
}
