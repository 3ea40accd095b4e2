package mutations

import (
	"fmt"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// mutation edits the content of the object in place. Errors tell which mutation failed.
func mutation(name string, gate feature.Gate, edit func(content map[string]any) error) unstructured.Mutation {
	return unstructured.Mutation{Name: name, Feature: gate, Mutate: func(m *unstructured.Mutator) error {
		m.EditContent(func(e *editors.UnstructuredContentEditor) error {
			if err := edit(e.Raw()); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
		return nil
	}}
}

// always is mutation for edits that every object gets and that cannot fail.
func always(name string, edit func(content map[string]any)) unstructured.Mutation {
	return mutation(name, nil, func(content map[string]any) error {
		edit(content)
		return nil
	})
}
