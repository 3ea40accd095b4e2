package crd

import (
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/mutations/paths"
)

// removeField removes the field from the schema, and from what is required and the defaults of the values around it. It reports whether the schema
// had the field. An error says why consumers could still see or set the field, or could no longer write the object.
func removeField(schema *props, steps []paths.Step) (found bool, err error) {
	if err := removable(schema, steps); err != nil {
		return false, err
	}
	for i := range schema.AllOf {
		if _, err := removeField(&schema.AllOf[i], steps); err != nil {
			return false, err
		}
	}
	if err := removeFromDefault(schema, steps); err != nil {
		return false, err
	}
	schema.Example = nil
	name, rest := steps[0].Field, steps[1:]
	switch property, isProperty := schema.Properties[name]; {
	case name == "" && itemsOf(schema) != nil:
		return removeField(schema.Items.Schema, rest)
	case len(rest) == 0:
		delete(schema.Properties, name)
		schema.Required = slices.DeleteFunc(schema.Required, func(required string) bool { return required == name })
		if isProperty {
			err = enoughLeft(schema)
		}
		return isProperty, err
	case isProperty:
		found, err = removeField(&property, rest)
		schema.Properties[name] = property
	}
	return found, err
}

// removable returns an error if the first step cannot be removed, or something around it names the field in a way that is not understood.
func removable(schema *props, steps []paths.Step) error {
	name, isLast := steps[0].Field, len(steps) == 1
	switch {
	case isLast && preservesUnknown(schema):
		return errors.New("the object around it preserves unknown fields, so consumers could still set it. Hide that object")
	case isLast && schema.XEmbeddedResource && isOfEveryObject(name):
		return errors.New("every embedded object has it. Hide the object around it")
	case len(steps) == 2 && slices.Contains(schema.XListMapKeys, steps[1].Field): //nolint:mnd // the step to the elements, and the field
		return errors.New("the elements of its list are identified by it. Hide the list")
	case len(schema.Enum) > 0:
		return errors.New("a value around it is one of an enumeration. Hide that value")
	}
	alternatives := slices.Concat(schema.AnyOf, schema.OneOf)
	if schema.Not != nil {
		alternatives = append(alternatives, *schema.Not)
	}
	if slices.ContainsFunc(alternatives, func(alternative props) bool { return mentions(&alternative, steps) }) {
		return errors.New("the schema names it in anyOf, oneOf or not, and would mean something else without it. Hide the object that has the alternatives")
	}
	return nil
}

// mentions reports whether the schema says anything of the field.
func mentions(schema *props, steps []paths.Step) bool {
	nested := slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf)
	if schema.Not != nil {
		nested = append(nested, *schema.Not)
	}
	if slices.ContainsFunc(nested, func(below props) bool { return mentions(&below, steps) }) {
		return true
	}
	name, rest := steps[0].Field, steps[1:]
	property, isProperty := schema.Properties[name]
	switch {
	case name == "":
		return itemsOf(schema) != nil && mentions(schema.Items.Schema, rest)
	case len(rest) == 0:
		return isProperty || slices.Contains(schema.Required, name)
	default:
		return isProperty && mentions(&property, rest)
	}
}

// enoughLeft returns an error if an object needs more fields than it can have now.
func enoughLeft(schema *props) error {
	if least := schema.MinProperties; least != nil && *least > int64(len(schema.Properties)) && schema.Type == typeObject {
		return fmt.Errorf("the object around it needs %d fields, and fewer would be left. Hide that object", *least)
	}
	return nil
}

// removeFromDefault removes the field from the default of the value around it.
func removeFromDefault(schema *props, steps []paths.Step) error {
	if schema.Default == nil {
		return nil
	}
	var value any
	if err := json.Unmarshal(schema.Default.Raw, &value); err != nil {
		return fmt.Errorf("a default around it cannot be understood: %w. Repair the definition of the service", err)
	}
	if !removeFrom(value, steps) {
		return nil
	}
	left, err := json.Marshal(value)
	schema.Default = &apiextensionsv1.JSON{Raw: left}
	return err
}

// removeFrom removes the field from a decoded value, and reports whether the value had it.
func removeFrom(value any, steps []paths.Step) (removed bool) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removed = steps[0].Field == "" && removeFrom(element, steps[1:]) || removed
		}
	case map[string]any:
		inner, has := value[steps[0].Field]
		if has && len(steps) == 1 {
			delete(value, steps[0].Field)
			return true
		}
		return has && removeFrom(inner, steps[1:])
	}
	return removed
}
