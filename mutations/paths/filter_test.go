package paths_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/mutations/paths"
)

// content reads YAML as the API machinery does: integers stay integers.
func content(t testing.TB, text string) map[string]any {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(asJSON, &fields))
	return fields
}

func parse(t testing.TB, texts ...string) []paths.Path {
	t.Helper()
	parsed, err := paths.ParseAll(texts)
	require.NoError(t, err)
	return parsed
}

const workload = `
spec:
  replicas: 3
  template:
    containers:
    - {name: web, image: a, ports: [{port: 80, open: true}, {port: 81, ratio: 0.5}]}
    - {name: log, image: b}
  matrix: [[1, 2], [3]]
  empty: {}
data: {a.b: x, "": y}`

func TestOnly(t *testing.T) {
	for name, test := range map[string]struct {
		paths []string
		want  string
	}{
		"a value":                  {[]string{"spec.replicas"}, `spec: {replicas: 3}`},
		"a map with all below":     {[]string{"data"}, `data: {a.b: x, "": y}`},
		"a name with dots":         {[]string{`data["a.b"]`}, `data: {a.b: x}`},
		"of all elements":          {[]string{"spec.template.containers[*].image"}, `spec: {template: {containers: [{image: a}, {image: b}]}}`},
		"of one, with its key":     {[]string{"spec.template.containers[name=web].image"}, `spec: {template: {containers: [{name: web, image: a}]}}`},
		"one element":              {[]string{"spec.template.containers[name=log]"}, `spec: {template: {containers: [{name: log, image: b}]}}`},
		"a list in a list":         {[]string{"spec.matrix[*][*]"}, `spec: {matrix: [[1, 2], [3]]}`},
		"an element by two values": {[]string{"spec.template.containers[name=web].ports[port=80,open=true]"}, `spec: {template: {containers: [{name: web, ports: [{port: 80, open: true}]}]}}`},
		"an element by a fraction": {[]string{"spec.template.containers[*].ports[ratio=0.5].port"}, `spec: {template: {containers: [{ports: [{port: 81, ratio: 0.5}]}]}}`},
		"an empty map":             {[]string{"spec.empty"}, `spec: {empty: {}}`},
		"several":                  {[]string{"spec.replicas", "spec.matrix"}, `spec: {replicas: 3, matrix: [[1, 2], [3]]}`},
		"one inside another":       {[]string{"spec.template.containers[name=log].image", "spec.template"}, `spec: {template: {containers: [{name: web, image: a, ports: [{port: 80, open: true}, {port: 81, ratio: 0.5}]}, {name: log, image: b}]}}`},
		"nothing there":            {[]string{"spec.none", "none", "spec.replicas.deeper", "spec[*]", "data.a", "spec.template.containers.name"}, `{}`},
		"an element that is not":   {[]string{"spec.template.containers[name=none].image"}, `{}`},
		"no paths":                 {nil, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			object := content(t, workload)
			assert.Equal(t, content(t, test.want), paths.Only(object, parse(t, test.paths...)))
			assert.Equal(t, content(t, workload), object, "the content stays as it is")
		})
	}
}

func TestRemove(t *testing.T) {
	const all = `{name: web, image: a, ports: [{port: 80, open: true}, {port: 81, ratio: 0.5}]}`
	rest := `replicas: 3, matrix: [[1, 2], [3]], empty: {}`
	for name, test := range map[string]struct {
		paths []string
		want  string
	}{
		"a value":               {[]string{"spec.replicas", "data", "spec.template", "spec.empty"}, `spec: {matrix: [[1, 2], [3]]}`},
		"of all elements":       {[]string{"spec.template.containers[*].ports", "data"}, `spec: {` + rest + `, template: {containers: [{name: web, image: a}, {name: log, image: b}]}}`},
		"of one element":        {[]string{"spec.template.containers[name=log].image", "data"}, `spec: {` + rest + `, template: {containers: [` + all + `, {name: log}]}}`},
		"one element":           {[]string{"spec.template.containers[name=log]", "data"}, `spec: {` + rest + `, template: {containers: [` + all + `]}}`},
		"all elements":          {[]string{"spec.template.containers[*]", "data"}, `spec: {` + rest + `, template: {}}`},
		"elements of elements":  {[]string{"spec.template.containers[*].ports[port=81]", "spec.matrix[*][*]", "data"}, `spec: {replicas: 3, empty: {}, template: {containers: [{name: web, image: a, ports: [{port: 80, open: true}]}, {name: log, image: b}]}}`},
		"the last field of one": {[]string{`data["a.b"]`, "spec"}, `data: {"": y}`},
		"nothing there":         {[]string{"spec.none", "none", "spec.replicas.deeper", "spec[*]", "data.a", "spec.template.containers.name", "spec.empty[*]"}, workload},
		"no paths":              {nil, workload},
	} {
		t.Run(name, func(t *testing.T) {
			object := content(t, workload)
			paths.Remove(object, parse(t, test.paths...))
			assert.Equal(t, content(t, test.want), object)
		})
	}
}

// A list that was empty is a statement of its own, and null is a value as far as an element is concerned.
func TestRemoveKeepsWhatItDoesNotName(t *testing.T) {
	const kept = `{empty: [], nulls: [null, {a: 1}], map: {list: []}}`
	object := content(t, kept)
	paths.Remove(object, parse(t, "empty[*].a", "nulls[*].b", "map.list[*]", "map.list[a=b]"))
	assert.Equal(t, content(t, kept), object)
	assert.Equal(t, content(t, `nulls: [null, {a: 1}]`), paths.Only(object, parse(t, "nulls[*]")))
}

func TestConditionComparesAsJSONHasIt(t *testing.T) {
	for _, test := range []struct {
		text  string
		value any
		holds bool
	}{
		{"a", "a", true}, {"a", "A", false}, {"80", int64(80), true}, {"80", "80", true}, {"80.0", int64(80), false}, {"0.5", 0.5, true},
		{"1000000", 1e6, true}, {"true", true, true}, {"false", false, true}, {"true", false, false}, {"null", nil, false},
		{"{}", map[string]any{}, false}, {"[]", []any{}, false},
	} {
		assert.Equal(t, test.holds, paths.Condition{Key: "k", Value: test.text}.HoldsFor(test.value), "%s and %v", test.text, test.value)
	}
}
