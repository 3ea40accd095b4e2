package crd

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

// compare notes where a value that met the former schema may not meet the present one, may lose a part, or may mean something else.
func (c *comparison) compare(was, is *props, at string) {
	if was == is {
		return
	}
	if is == shallowValue && slices.ContainsFunc(typesOf(was), func(of string) bool { return !slices.Contains(scalars, of) }) {
		c.note(at, "fields of the value are no longer kept")
		return
	}
	shown := at
	if at == "" {
		shown = "the object"
	}
	c.compareTypes(was, is, shown)
	c.compareLimits(was, is, shown)
	c.compareEnumerations(was, is, shown)
	c.compareAlternatives(was, is, shown)
	c.compareRules(was, is, shown)
	c.compareOwnership(was, is, shown)
	c.compareFields(was, is, at)
	if itemsOf(was) != nil && itemsOf(is) != nil {
		c.compare(itemsOf(was), itemsOf(is), at+"[*]")
	}
}

// compareTypes compares the types, and what else decides what kind of value is allowed.
func (c *comparison) compareTypes(was, is *props, at string) {
	for _, allowed := range typesOf(was) {
		if anyType := len(typesOf(is)) == 1 && typesOf(is)[0] == anything; !anyType && !slices.Contains(typesOf(is), allowed) {
			c.note(at, "the type changes from %s to %s", typeName(was), typeName(is))
			break
		}
	}
	if was.Nullable && !is.Nullable {
		c.note(at, "null is no longer allowed")
	}
	if was.XEmbeddedResource != is.XEmbeddedResource {
		c.note(at, "the value becomes an embedded object, or is one no longer")
	}
	if !equality.Semantic.DeepEqual(was.Default, is.Default) {
		c.note(at, "the default changes")
	}
}

// anything stands for a value of any type.
const anything = "anything"

// typesOf returns the types that a value can have.
func typesOf(schema *props) []string {
	switch {
	case schema.XIntOrString:
		return []string{typeInteger, typeString}
	case schema.Type == "":
		return []string{anything}
	case schema.Type == "number":
		return []string{"number", typeInteger}
	default:
		return []string{schema.Type}
	}
}

func typeName(schema *props) string {
	switch {
	case schema.XIntOrString:
		return "integer or string"
	case schema.Type == "":
		return anything
	default:
		return schema.Type
	}
}

// compareOwnership compares how lists and maps are merged when several clients apply them. It is also how elements are told from each other.
func (c *comparison) compareOwnership(was, is *props, at string) {
	if ptr.Deref(was.XListType, "atomic") != ptr.Deref(is.XListType, "atomic") {
		c.note(at, "the type of the list changes from %s to %s", ptr.Deref(was.XListType, "atomic"), ptr.Deref(is.XListType, "atomic"))
	}
	if !slices.Equal(was.XListMapKeys, is.XListMapKeys) {
		c.note(at, "the keys of the list change from %v to %v", was.XListMapKeys, is.XListMapKeys)
	}
	if ptr.Deref(was.XMapType, "granular") != ptr.Deref(is.XMapType, "granular") {
		c.note(at, "the type of the map changes from %s to %s", ptr.Deref(was.XMapType, "granular"), ptr.Deref(is.XMapType, "granular"))
	}
}

// compareFields compares the fields that an object can have, and the values of a map.
func (c *comparison) compareFields(was, is *props, at string) {
	for _, name := range slices.Sorted(maps.Keys(was.Properties)) {
		field, present := was.Properties[name], othersOf(is)
		if property, found := is.Properties[name]; found {
			present = &property
		}
		if present == nil {
			c.note(below(at, name), "the field leaves")
			continue
		}
		c.compare(&field, present, below(at, name))
	}
	for _, name := range slices.Sorted(maps.Keys(is.Properties)) {
		field := is.Properties[name]
		if _, known := was.Properties[name]; !known && othersOf(was) != nil {
			c.compare(othersOf(was), &field, below(at, name))
		}
	}
	for _, name := range is.Required {
		if !slices.Contains(was.Required, name) && is.Properties[name].Default == nil {
			c.note(below(at, name), "the field becomes required")
		}
	}
	switch former, present := othersOf(was), othersOf(is); {
	case former == nil:
	case present == nil:
		c.note(below(at, "*"), "fields that the schema does not name are no longer kept")
	default:
		c.compare(former, present, below(at, "*"))
	}
}

// anyValue is the schema of all values, and shallowValue one of all values that keeps no fields of objects.
var (
	anyValue     = &props{Nullable: true, XPreserveUnknownFields: new(true)}
	shallowValue = &props{Nullable: true, XPreserveUnknownFields: new(true)}
)

// scalars are the types of values without parts.
var scalars = []string{typeString, typeInteger, "number", "boolean"}

// othersOf returns the schema of the fields that the schema of an object does not name; nil: they are not kept.
func othersOf(schema *props) *props {
	switch values := schema.AdditionalProperties; {
	case values != nil && values.Schema != nil:
		return values.Schema
	case preservesUnknown(schema):
		return anyValue
	case values != nil && values.Allows:
		return shallowValue
	default:
		return nil
	}
}
