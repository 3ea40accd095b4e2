package crd

import (
	"math"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

// compareLimits compares the limits of numbers, and the forms of texts.
func (c *comparison) compareLimits(was, is *props, at string) {
	c.compareMinimum(was, is, at)
	c.compareMaximum(was, is, at)
	c.compareSizes(was, is, at)
	if is.MultipleOf != nil && (was.MultipleOf == nil || math.Mod(*was.MultipleOf, *is.MultipleOf) != 0) {
		c.note(at, "the value has to be a multiple of %v", *is.MultipleOf)
	}
	if is.Pattern != "" && is.Pattern != was.Pattern {
		c.note(at, "the pattern becomes %q", is.Pattern)
	}
	if is.Format != "" && is.Format != was.Format && !slices.Contains(widerFormats[was.Format], is.Format) {
		c.note(at, "the format becomes %s", is.Format)
	}
}

// compareSizes compares how many characters, elements and fields there can be.
func (c *comparison) compareSizes(was, is *props, at string) {
	for _, size := range []struct {
		of                             string
		wasLeast, least, wasMost, most *int64
	}{
		{"Length", was.MinLength, is.MinLength, was.MaxLength, is.MaxLength},
		{"Items", was.MinItems, is.MinItems, was.MaxItems, is.MaxItems},
		{"Properties", was.MinProperties, is.MinProperties, was.MaxProperties, is.MaxProperties},
	} {
		if least := ptr.Deref(size.least, 0); least > ptr.Deref(size.wasLeast, 0) {
			c.note(at, "min%s grows to %d", size.of, least)
		}
		if most := ptr.Deref(size.most, math.MaxInt64); most < ptr.Deref(size.wasMost, math.MaxInt64) {
			c.note(at, "max%s shrinks to %d", size.of, most)
		}
	}
	if is.UniqueItems && !was.UniqueItems {
		c.note(at, "elements have to be unique")
	}
}

// widerFormats are the formats of all values that have the format.
var widerFormats = map[string][]string{"int32": {"int64"}, "float": {"double"}}

func (c *comparison) compareMinimum(was, is *props, at string) {
	if is.Minimum == nil {
		return
	}
	if was.Minimum == nil || *was.Minimum < *is.Minimum || *was.Minimum == *is.Minimum && is.ExclusiveMinimum && !was.ExclusiveMinimum {
		c.note(at, "the minimum grows to %v%s", *is.Minimum, exclusive(is.ExclusiveMinimum))
	}
}

func (c *comparison) compareMaximum(was, is *props, at string) {
	if is.Maximum == nil {
		return
	}
	if was.Maximum == nil || *was.Maximum > *is.Maximum || *was.Maximum == *is.Maximum && is.ExclusiveMaximum && !was.ExclusiveMaximum {
		c.note(at, "the maximum shrinks to %v%s", *is.Maximum, exclusive(is.ExclusiveMaximum))
	}
}

func exclusive(is bool) string {
	if is {
		return ", exclusive"
	}
	return ""
}

func (c *comparison) compareEnumerations(was, is *props, at string) {
	switch {
	case len(is.Enum) == 0:
	case len(was.Enum) == 0:
		c.note(at, "the value becomes one of an enumeration")
	default:
		for _, value := range was.Enum {
			if !slices.ContainsFunc(is.Enum, func(other apiextensionsv1.JSON) bool { return equality.Semantic.DeepEqual(value, other) }) {
				c.note(at, "the value %s is no longer allowed", value.Raw)
			}
		}
	}
}

// compareRules notes rules that are new. A rule whose message differs is the same rule.
func (c *comparison) compareRules(was, is *props, at string) {
	for _, rule := range is.XValidations {
		if !slices.ContainsFunc(was.XValidations, func(other apiextensionsv1.ValidationRule) bool {
			return rule.Rule == other.Rule && equality.Semantic.DeepEqual(rule.OptionalOldSelf, other.OptionalOldSelf)
		}) {
			c.note(at, "the rule %q is new", rule.Rule)
		}
	}
}

// compareAlternatives compares the schemas that a value has to meet besides its own. What they say is not looked into: they are equal or not.
func (c *comparison) compareAlternatives(was, is *props, at string) {
	if !within(is.AllOf, was.AllOf) {
		c.note(at, "allOf becomes narrower")
	}
	if anyOf := anyOfBesidesTypes(is); len(anyOf) > 0 && (len(anyOfBesidesTypes(was)) == 0 || !within(anyOfBesidesTypes(was), anyOf)) {
		c.note(at, "anyOf changes")
	}
	if len(is.OneOf) > 0 && (!within(is.OneOf, was.OneOf) || !within(was.OneOf, is.OneOf)) {
		c.note(at, "oneOf changes")
	}
	if is.Not != nil && (was.Not == nil || !equality.Semantic.DeepEqual(undescribed(*was.Not), undescribed(*is.Not))) {
		c.note(at, "not changes")
	}
}

// anyOfBesidesTypes returns the alternatives, unless they only say what being an integer or a string says.
func anyOfBesidesTypes(schema *props) []props {
	if schema.XIntOrString && equality.Semantic.DeepEqual(schema.AnyOf, []props{{Type: typeInteger}, {Type: typeString}}) {
		return nil
	}
	return schema.AnyOf
}

// within reports whether each of the schemas is among the others.
func within(schemas, others []props) bool {
	for _, schema := range schemas {
		if !slices.ContainsFunc(others, func(other props) bool { return equality.Semantic.DeepEqual(undescribed(schema), undescribed(other)) }) {
			return false
		}
	}
	return true
}
