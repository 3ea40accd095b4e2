package crd

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"projection.sh/operator/mutations/paths"
)

// hidden are the fields that consumers do not see, the deepest first.
type hidden []paths.Path

// parseHidden returns the fields with these paths. An error says which of them cannot be hidden in any schema.
func parseHidden(texts []string) (hidden, error) {
	fields, err := paths.ParseAll(texts)
	if err != nil {
		return nil, err
	}
	for _, field := range fields {
		steps := field.Steps()
		switch first := steps[0].Field; {
		case isOfEveryObject(first):
			return nil, fmt.Errorf("%s cannot be hidden: every object has it. Hide other fields", field)
		case slices.ContainsFunc(steps, func(step paths.Step) bool { return len(step.Where) > 0 }):
			return nil, fmt.Errorf("%s cannot be hidden: a schema has no elements of a list with certain values. Hide fields of all elements by [*]", field)
		case steps[len(steps)-1].Field == "":
			return nil, fmt.Errorf("%s cannot be hidden: it is all elements of a list. Hide the list", field)
		}
	}
	slices.SortStableFunc(fields, func(a, b paths.Path) int { return cmp.Compare(len(b.Steps()), len(a.Steps())) })
	return fields, nil
}

// hideIn takes the fields out of the versions, with all that names them.
func (h hidden) hideIn(versions []apiextensionsv1.CustomResourceDefinitionVersion) error {
	found := make([]bool, len(h))
	for i := range versions {
		if err := h.hideInVersion(&versions[i], found); err != nil {
			return fmt.Errorf("version %s: %w", versions[i].Name, err)
		}
	}
	for i, field := range h {
		if !found[i] {
			return fmt.Errorf("the schema has no field %s to hide. Hide fields that it names", field)
		}
	}
	return nil
}

// hideInVersion notes which of the fields are found.
func (h hidden) hideInVersion(version *apiextensionsv1.CustomResourceDefinitionVersion, found []bool) error {
	schema := version.Schema.OpenAPIV3Schema
	before := schema.DeepCopy()
	for i, field := range h {
		if field.String() == "status" && version.Subresources != nil && version.Subresources.Status != nil {
			return fmt.Errorf("%s cannot be hidden: consumers learn from it what became of their objects. Hide fields below it", field)
		}
		removed, err := removeField(schema, field.Steps())
		if err != nil {
			return fmt.Errorf("%s cannot be hidden: %w", field, err)
		}
		found[i] = found[i] || removed
	}
	if err := dropRules(before, schema, ""); err != nil {
		return err
	}
	h.hideInColumns(version)
	return nil
}
