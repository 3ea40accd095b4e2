package oracle

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// Fields that rules of histories set. The expressions are known here by their texts: what they mean is written anew.
var (
	// FieldOfTarget is a value that each namespace has.
	FieldOfTarget = v1.OverlayField{
		Path: `metadata.annotations["value"]`, Expression: "target.name + '/' + target.labels[?'group'].orValue('none')",
	}
	// FieldOfSome is a value that namespaces of some groups have. There can be no copy in others.
	FieldOfSome = v1.OverlayField{
		Path: `metadata.annotations["warmth"]`, Expression: "{'red': 'warm', 'blue': 'cold'}[target.labels[?'group'].orValue('none')]",
	}
	// FieldOfSource is a value that all copies have.
	FieldOfSource = v1.OverlayField{Path: `metadata.labels["of"]`, Expression: "source.metadata.name"}
	// FieldIfRed is a value that namespaces of one group have, and others do not.
	FieldIfRed = v1.OverlayField{
		Path: `metadata.annotations["red"]`, Expression: "target.labels[?'group'].orValue('') == 'red' ? optional.of('yes') : optional.none()",
	}
	// FieldOfData is a key of a ConfigMap or Secret.
	FieldOfData = v1.OverlayField{Path: "data.value", Expression: "target.name"}
)

// values are what a rule sets in the copy of one namespace.
type values struct{ labels, annotations, data map[string]string }

// valuesFor returns what the rule sets in the copy of the source in the namespace, and false if it cannot.
func valuesFor(wish wish, source, name string, namespaceLabels map[string]string) (values, bool) {
	set := values{labels: map[string]string{}, annotations: map[string]string{}, data: map[string]string{}}
	group, grouped := namespaceLabels["group"]
	if !grouped {
		group = "none"
	}
	for _, field := range wish.overlay.Fields {
		switch field {
		case FieldOfTarget:
			set.annotations["value"] = name + "/" + group
		case FieldOfSome:
			warmth, known := map[string]string{"red": "warm", "blue": "cold"}[group]
			if !known {
				return set, false
			}
			set.annotations["warmth"] = warmth
		case FieldOfSource:
			set.labels["of"] = source
		case FieldIfRed:
			if group == "red" {
				set.annotations["red"] = "yes"
			}
		case FieldOfData:
			set.data["value"] = name
		}
	}
	return set, true
}

// withData returns the copy with these keys.
func withData(object *unstructured.Unstructured, data map[string]string) *unstructured.Unstructured {
	if len(data) == 0 {
		return object
	}
	object = object.DeepCopy()
	for key, value := range data {
		if object.GetKind() == "Secret" {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		if err := unstructured.SetNestedField(object.Object, value, "data", key); err != nil {
			panic(err)
		}
	}
	return object
}
