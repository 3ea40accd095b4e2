package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
)

func fields(include, exclude []string) mutations.Input {
	return mutations.Input{Content: mutations.Content{Fields: mutations.FieldFilter{Include: include, Exclude: exclude}}}
}

func TestFilterFields(t *testing.T) {
	const before = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, labels: {app: shop}}
spec: {replicas: 3, template: {spec: {containers: [{name: web, image: a, resources: {}}, {name: log, image: b}]}}}
extra: 1`
	const head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {app: shop}}\n"
	for name, test := range map[string]struct{ include, exclude, after string }{
		"excluded": {
			"", "spec.replicas spec.template.spec.containers[*].resources",
			head + "extra: 1\nspec: {template: {spec: {containers: [{name: web, image: a}, {name: log, image: b}]}}}",
		},
		"included":     {"spec.replicas", "", head + "spec: {replicas: 3}"},
		"exclude wins": {"spec extra", "spec.template", head + "extra: 1\nspec: {replicas: 3}"},
		"nothing left": {"none", "", head},
		"no such path": {"", "none spec.none[*].a", before},
	} {
		t.Run(name, func(t *testing.T) {
			in := fields(split(test.include), split(test.exclude))
			run(t, mutations.FilterFields, in, []row{{name: "filtered", before: before, after: test.after}})
		})
	}
}

func TestPathsThatCannotBeChosen(t *testing.T) {
	for path, message := range map[string]string{
		"spec.list[0]":           `filter-fields: "spec.list[0]" is not the path of a field: "[0]" cannot be read`,
		"metadata":               "filter-fields: metadata is not among the fields that can be chosen",
		"metadata.labels":        "filter-fields: metadata.labels is not among the fields that can be chosen",
		`metadata["name"]`:       `filter-fields: metadata["name"] is not among the fields that can be chosen`,
		"status.phase":           "filter-fields: status.phase is not among the fields that can be chosen",
		"apiVersion":             "filter-fields: apiVersion is not among the fields that can be chosen",
		"kind":                   "filter-fields: kind is not among the fields that can be chosen",
		"metadata-like[name=it]": "",
	} {
		for _, in := range []mutations.Input{fields([]string{path}, nil), fields(nil, []string{path})} {
			_, err := tryApply(t, mutations.FilterFields, in, content(t, `spec: {list: [1]}`))
			if message == "" {
				require.NoError(t, err)
				continue
			}
			var refused *mutations.InputError
			require.ErrorAs(t, err, &refused)
			assert.Contains(t, err.Error(), message)
		}
	}
}
