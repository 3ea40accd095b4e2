package mutations

import (
	"maps"
	"slices"

	"projection.sh/operator/mutations/paths"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// notContent are the fields of every object that no filter of fields chooses.
var notContent = []string{"apiVersion", "kind", metadataField, "status"}

// filterFields drops the fields that are not to be copied.
func filterFields(filter FieldFilter) unstructured.Mutation {
	gate := feature.NewBooleanGate(!filter.copiesAll())
	return mutation(FilterFields, gate, func(content map[string]any) error {
		include, err := contentPaths(filter.Include)
		if err != nil {
			return err
		}
		exclude, err := contentPaths(filter.Exclude)
		if err != nil {
			return err
		}
		if len(include) > 0 {
			kept := paths.Only(content, include)
			maps.DeleteFunc(content, func(field string, _ any) bool { return !slices.Contains(notContent, field) })
			maps.Copy(content, kept)
		}
		paths.Remove(content, exclude)
		return nil
	})
}

// contentPaths returns the paths of fields that can be chosen.
func contentPaths(texts []string) ([]paths.Path, error) {
	parsed, err := paths.ParseAll(texts)
	if err != nil {
		return nil, &InputError{Message: err.Error()}
	}
	for _, path := range parsed {
		if slices.Contains(notContent, path.Steps()[0].Field) {
			return nil, inputError("%s is not among the fields that can be chosen", path)
		}
	}
	return parsed, nil
}
