package destination

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// Fields of every object.
const (
	metadataField = "metadata"
	statusField   = "status"
)

// namedDifferences is how many fields a message names in which an object differs from a copy.
const namedDifferences = 5

// keyFields are the fields of ConfigMaps and Secrets that have keys.
var keyFields = []string{"data", "binaryData"}

// differencesOf returns in which fields the object differs from the copy; none if every field that the copy would have is there with an equal
// value, and, in a ConfigMap or Secret, no other key. Labels and annotations that the object lacks are no difference, nor are those
// that the operator stamps. It quotes no value, and no key of data; of a Secret, it does not count the keys either, so that nobody finds out a value by
// trying.
func differencesOf(copied, live *unstructured.Unstructured, stamp mutations.Stamp) []string {
	found := map[string]bool{}
	hasKeys := mutations.IsReplaceable(copied.GroupVersionKind().GroupKind())
	for field, value := range copied.Object {
		if !slices.Contains([]string{"apiVersion", "kind", metadataField, statusField}, field) && !(hasKeys && slices.Contains(keyFields, field)) {
			noteDifference(found, field, value, live.Object[field])
		}
	}
	if hasKeys {
		for _, field := range keyFields {
			noteKeys(found, field, copied.GetKind() != "Secret", asMap(copied.Object[field]), asMap(live.Object[field]))
		}
		if live.Object["immutable"] == true && copied.Object["immutable"] != true {
			found["immutable"] = true
		}
	}
	found["metadata.labels"] = entriesDiffer(copied.GetLabels(), live.GetLabels(), stamp.LabelKey)
	found["metadata.annotations"] = entriesDiffer(copied.GetAnnotations(), live.GetAnnotations(),
		stamp.AnnotationKey, stamp.PlaceKey, v1.AnnotationContentHash, v1.AnnotationSource, v1.AnnotationLayers, v1.AnnotationSourceUID, v1.AnnotationPublishedKeys)
	maps.DeleteFunc(found, func(_ string, differs bool) bool { return !differs })
	names := slices.Sorted(maps.Keys(found))
	if more := len(names) - namedDifferences; more > 0 {
		names = append(names[:namedDifferences], fmt.Sprintf("and %d more", more))
	}
	return names
}

// noteDifference notes the field if the object does not have its value. Of a map, it notes the fields that differ.
func noteDifference(found map[string]bool, field string, wanted, have any) {
	fields, ok := wanted.(map[string]any)
	if _, isMap := have.(map[string]any); !ok || !isMap {
		found[field] = !contains(have, wanted)
		return
	}
	for name, value := range fields {
		found[field+"."+name] = !contains(asMap(have)[name], value)
	}
}

// noteKeys notes whether keys differ and, if they are counted, how many.
func noteKeys(found map[string]bool, field string, counted bool, wanted, have map[string]any) {
	differing := 0
	for key := range have {
		if _, copied := wanted[key]; !copied {
			differing++
		}
	}
	for key, value := range wanted {
		if !reflect.DeepEqual(have[key], value) {
			differing++
		}
	}
	switch {
	case differing == 0:
	case !counted:
		found[field] = true
	case differing == 1:
		found[field+" (1 key)"] = true
	default:
		found[fmt.Sprintf("%s (%d keys)", field, differing)] = true
	}
}

// contains reports whether the value has what is wanted: of a map, every field; of a list, as many elements, each with what is wanted.
func contains(have, wanted any) bool {
	switch wanted := wanted.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for name, value := range wanted {
			if !contains(fields[name], value) {
				return false
			}
		}
		return true
	case []any:
		elements, ok := have.([]any)
		return ok && slices.EqualFunc(elements, wanted, contains)
	default:
		return reflect.DeepEqual(have, wanted) || isNumber(wanted) && isNumber(have) && fmt.Sprint(have) == fmt.Sprint(wanted)
	}
}

// isNumber reports whether the value is a number, as decoders represent it.
func isNumber(value any) bool {
	switch value.(type) {
	case int64, float64:
		return true
	}
	return false
}

// entriesDiffer reports whether a key has another value than is wanted. Stamped keys may have any.
func entriesDiffer(wanted, have map[string]string, stamped ...string) bool {
	for key, value := range wanted {
		if is, found := have[key]; found && is != value && !slices.Contains(stamped, key) {
			return true
		}
	}
	return false
}

func asMap(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}
