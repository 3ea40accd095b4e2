package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fields writes a row for everything below the path. Required fields come first.
func fields(out *strings.Builder, path string, schema apiextensionsv1.JSONSchemaProps) {
	names := slices.Sorted(maps.Keys(schema.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return rank(slices.Contains(schema.Required, a)) - rank(slices.Contains(schema.Required, b))
	})
	for _, name := range names {
		field, below := schema.Properties[name], path+"."+name
		if isRefused(field) {
			continue
		}
		presence := "optional"
		if slices.Contains(schema.Required, name) {
			presence = "required"
		}
		fmt.Fprintf(out, "| `%s` | %s, %s | %s |", below, typeOf(field), presence, meaning(field))
		if strings.HasPrefix(path, "spec") {
			out.WriteString(strings.TrimSuffix(" "+strings.Join(refusals(field), "; "), " ") + " |")
		}
		out.WriteString("\n")
		switch {
		case isCondition(field):
		case field.Items != nil:
			fields(out, below+"[]", *field.Items.Schema)
		default:
			fields(out, below, field)
		}
	}
}

// isRefused reports whether the field has no valid value: it exists so that the API server can say what to write instead.
func isRefused(field apiextensionsv1.JSONSchemaProps) bool {
	return slices.ContainsFunc(field.XValidations, func(rule apiextensionsv1.ValidationRule) bool { return rule.Rule == "false" })
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// isCondition tells whether the field is a list of the conditions that every Kubernetes API has.
func isCondition(field apiextensionsv1.JSONSchemaProps) bool {
	if field.Items == nil {
		return false
	}
	_, found := field.Items.Schema.Properties["lastTransitionTime"]
	return found
}

func typeOf(field apiextensionsv1.JSONSchemaProps) string {
	switch {
	case isCondition(field):
		return "list of conditions"
	case field.Items != nil && field.XListType != nil && *field.XListType == "set":
		return "set of " + typeOf(*field.Items.Schema) + "s"
	case field.Items != nil:
		return "list of " + typeOf(*field.Items.Schema) + "s"
	case field.AdditionalProperties != nil && field.AdditionalProperties.Schema != nil:
		return "map of " + typeOf(*field.AdditionalProperties.Schema) + "s"
	case field.XIntOrString:
		return "integer or string"
	default:
		return field.Type
	}
}

// meaning is the description and the limits.
func meaning(field apiextensionsv1.JSONSchemaProps) string {
	parts := append([]string{cell(field.Description)}, limits(field)...)
	if items := field.Items; items != nil && items.Schema.Type != "object" {
		parts = append(parts, each("Each", *items.Schema)...)
	}
	if values := field.AdditionalProperties; values != nil && values.Schema != nil {
		parts = append(parts, each("Each value", *values.Schema)...)
	}
	return strings.Join(parts, " ")
}

func each(what string, schema apiextensionsv1.JSONSchemaProps) []string {
	var parts []string
	for _, limit := range limits(schema) {
		parts = append(parts, what+": "+strings.ToLower(limit[:1])+limit[1:])
	}
	return parts
}

func limits(field apiextensionsv1.JSONSchemaProps) []string {
	var parts []string
	say := func(format string, value *int64) {
		if value != nil {
			parts = append(parts, fmt.Sprintf(format, *value))
		}
	}
	say("At most %d characters.", field.MaxLength)
	say("Items: at least %d.", field.MinItems)
	say("Items: at most %d.", field.MaxItems)
	say("Keys: at most %d.", field.MaxProperties)
	if len(field.Enum) > 0 {
		values := make([]string, len(field.Enum))
		for i, value := range field.Enum {
			values[i] = "`" + strings.Trim(string(value.Raw), `"`) + "`"
		}
		parts = append(parts, "One of "+strings.Join(values, ", ")+".")
	}
	return parts
}

// refusals are the sentences of the validation rules of the field, and of those of its items or values.
func refusals(field apiextensionsv1.JSONSchemaProps) []string {
	var parts []string
	for _, rule := range field.XValidations {
		parts = append(parts, "“"+cell(rule.Message)+"”")
	}
	if field.Items != nil {
		parts = append(parts, refusals(*field.Items.Schema)...)
	}
	if values := field.AdditionalProperties; values != nil && values.Schema != nil {
		parts = append(parts, refusals(*values.Schema)...)
	}
	return parts
}
