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

// ownsMore reports whether the operator has written a field of the status of the object that is not in the given one.
func ownsMore(object metav1.Object, status map[string]any) bool {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager != fieldManager || entry.Subresource != statusField || entry.FieldsV1 == nil {
			continue
		}
		var owned map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) == nil && hasOther(owned, map[string]any{statusField: status}) {
			return true
		}
	}
	return false
}

// hasOther reports whether an owned field is not in the content. Elements of lists are not compared: a list is written as a whole.
func hasOther(owned, content map[string]any) bool {
	for key, below := range owned {
		name, isField := strings.CutPrefix(key, "f:")
		if !isField {
			continue
		}
		value, has := content[name]
		inner, _ := value.(map[string]any)
		fields, _ := below.(map[string]any)
		if !has && name != statusField || inner != nil && hasOther(fields, inner) {
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
