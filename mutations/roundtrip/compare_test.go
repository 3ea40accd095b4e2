package roundtrip_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

// has reports whether there is a value at a path of steps separated by blanks; a number is an index of a list.
func has(value any, path string) bool {
	for step := range strings.FieldsSeq(path) {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[step]
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index >= len(inner) {
				return false
			}
			value = inner[index]
		default:
			return false
		}
	}
	return value != nil
}

// shownStatus are annotations in which autoscaling/v1 shows the status of an object, once there is any.
var shownStatus = sets.New("autoscaling.alpha.kubernetes.io/conditions", "autoscaling.alpha.kubernetes.io/current-metrics")

// intent returns what a reader of the object has to find in its copy.
func intent(obj *uns.Unstructured, without sets.Set[string]) map[string]any {
	content := obj.DeepCopy().Object
	delete(content, "status")
	metadata := map[string]any{}
	for field, entries := range map[string]map[string]string{"labels": obj.GetLabels(), "annotations": obj.GetAnnotations()} {
		kept := map[string]any{}
		for key, value := range entries {
			if !without.Has(key) {
				kept[key] = value
			}
		}
		metadata[field] = kept
	}
	content["metadata"] = metadata
	return content
}

// differences returns the paths at which two values differ, as deep as both are of the same type.
func differences(path string, left, right any) []string {
	switch left := left.(type) {
	case map[string]any:
		if right, ok := right.(map[string]any); ok {
			return mapDifferences(path, left, right)
		}
	case []any:
		if right, ok := right.([]any); ok {
			return listDifferences(path, left, right)
		}
	}
	if reflect.DeepEqual(left, right) {
		return nil
	}
	return []string{strings.TrimSpace(path)}
}

func mapDifferences(path string, left, right map[string]any) []string {
	var found []string
	for _, key := range sets.List(sets.KeySet(left).Union(sets.KeySet(right))) {
		found = append(found, differences(path+" "+key, left[key], right[key])...)
	}
	return found
}

func listDifferences(path string, left, right []any) []string {
	var found []string
	for i := range max(len(left), len(right)) {
		found = append(found, differences(fmt.Sprint(path, " ", i), item(left, i), item(right, i))...)
	}
	return found
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// beyond returns the paths that are at or below none of the allowed ones.
func beyond(paths, allowed []string) []string {
	var found []string
	for _, path := range paths {
		covered := false
		for _, prefix := range allowed {
			covered = covered || path == prefix || strings.HasPrefix(path, prefix+" ")
		}
		if !covered {
			found = append(found, path)
		}
	}
	return found
}
