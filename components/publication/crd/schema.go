package crd

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// props is what a definition says of a value.
type props = apiextensionsv1.JSONSchemaProps

// The types of values that are looked at.
const (
	typeObject  = "object"
	typeString  = "string"
	typeInteger = "integer"
)

// typeFields are the fields in which an object has its type.
var typeFields = []string{"apiVersion", "kind"}

// isOfEveryObject reports whether every object has the field, whatever its schema says.
func isOfEveryObject(name string) bool {
	return name == "metadata" || slices.Contains(typeFields, name)
}

// undescribed returns a copy of the schema without what is there for readers only.
func undescribed(schema props) props {
	bare := *schema.DeepCopy()
	eachBelow(&bare, func(below *props) {
		below.Title, below.Description, below.ExternalDocs, below.Example = "", "", nil, nil
	})
	return bare
}

// eachBelow calls do for the schema, and for all schemas of which it consists.
func eachBelow(schema *props, do func(*props)) {
	do(schema)
	for _, name := range slices.Collect(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		eachBelow(&property, do)
		schema.Properties[name] = property
	}
	for _, list := range [][]props{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for i := range list {
			eachBelow(&list[i], do)
		}
	}
	for _, single := range []*props{schema.Not, itemsOf(schema), valuesOf(schema)} {
		if single != nil {
			eachBelow(single, do)
		}
	}
}

// itemsOf returns what a schema says of the elements of a list; nil: nothing.
func itemsOf(schema *props) *props {
	if schema.Items == nil {
		return nil
	}
	return schema.Items.Schema
}

// valuesOf returns what a schema says of the values of a map; nil: nothing.
func valuesOf(schema *props) *props {
	if schema.AdditionalProperties == nil {
		return nil
	}
	return schema.AdditionalProperties.Schema
}

// preservesUnknown reports whether an object keeps fields that its schema does not name.
func preservesUnknown(schema *props) bool {
	return schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
}
