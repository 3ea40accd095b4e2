package destination

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

var deploymentKind = schema.GroupKind{Group: "apps", Kind: "Deployment"}

// ownedFields are managed fields as the API server writes them for a Deployment.
const ownedFields = `{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{
"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{}}}},
"k:{\"name\":\"log\"}":{".":{},"f:image":{},"f:name":{}}}}},"f:atomic":{}},"f:finalizers":{"v:\"a\"":{}}}`

const wholeSource = `
spec:
  replicas: 3
  template: {spec: {containers: [{name: web, image: a, ports: [{containerPort: 80, protocol: TCP, name: http}]}, {name: log, image: b}]}}
  atomic: [{a: b}]`

func TestFieldsThatAreNotCopied(t *testing.T) {
	const web = `.spec.template.spec.containers[name="web"]`
	for name, test := range map[string]struct {
		filter v1.FieldFilter
		given  []string
	}{
		"a field": {v1.FieldFilter{Exclude: []string{"spec.replicas"}}, []string{".spec.replicas"}},
		"of all elements": {v1.FieldFilter{Exclude: []string{"spec.template.spec.containers[*].image"}}, []string{
			`.spec.template.spec.containers[name="log"].image`, web + ".image",
		}},
		"of one element": {v1.FieldFilter{Exclude: []string{"spec.template.spec.containers[name=web].image"}}, []string{web + ".image"}},
		"of an element by what is no key of its list": {
			v1.FieldFilter{Exclude: []string{"spec.template.spec.containers[image=b].name"}}, []string{`.spec.template.spec.containers[name="log"].name`},
		},
		"an element by several values": {
			v1.FieldFilter{Exclude: []string{"spec.template.spec.containers[*].ports[containerPort=80,name=http]"}}, []string{
				web + `.ports[containerPort=80,protocol="TCP"]`, web + `.ports[containerPort=80,protocol="TCP"].containerPort`,
				web + `.ports[containerPort=80,protocol="TCP"].name`,
			},
		},
		"in a list that is owned as a whole": {v1.FieldFilter{Exclude: []string{"spec.atomic[a=b].a"}}, nil},
		"a list that is owned as a whole":    {v1.FieldFilter{Exclude: []string{"spec.atomic"}}, []string{".spec.atomic"}},
		"all but what is included": {v1.FieldFilter{Include: []string{"spec.template.spec.containers[name=log].image", "spec.atomic", "finalizers"}}, []string{
			".spec.replicas", web, web + ".image", web + ".name", web + `.ports[containerPort=80,protocol="TCP"]`,
			web + `.ports[containerPort=80,protocol="TCP"].containerPort`, web + `.ports[containerPort=80,protocol="TCP"].name`,
		}},
		"what is included and excluded": {
			v1.FieldFilter{Include: []string{"spec.replicas", "spec.template", "finalizers[*]", "spec.atomic"}, Exclude: []string{"spec.replicas"}}, []string{".spec.replicas"},
		},
		"nowhere": {v1.FieldFilter{Exclude: []string{"spec.none", "spec.replicas.a", "spec.template[*]", "spec.template.spec.containers.name"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var source map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(wholeSource), &source))
			set := fieldpath.NewSet()
			require.NoError(t, set.FromJSON(strings.NewReader(ownedFields)))
			filter, err := newNotCopied(test.filter, deploymentKind, false, source)
			require.NoError(t, err)
			var given []string
			filter.among(set).Iterate(func(field fieldpath.Path) { given = append(given, field.String()) })
			assert.ElementsMatch(t, test.given, given)
		})
	}
}

func TestRuleThatCopiesAllFieldsGivesNothingUp(t *testing.T) {
	filter, err := newNotCopied(v1.FieldFilter{}, deploymentKind, false, nil)
	require.NoError(t, err)
	assert.Nil(t, filter)
	_, err = newNotCopied(v1.FieldFilter{Include: []string{"a["}}, deploymentKind, false, nil)
	require.Error(t, err)
	_, err = newNotCopied(v1.FieldFilter{Exclude: []string{"a["}}, deploymentKind, false, nil)
	require.Error(t, err)
}

func TestKeysAreNeverGivenUp(t *testing.T) {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("data", "a"), fieldpath.MakePathOrDie("immutable"))
	for kind, given := range map[string][]string{"ConfigMap": {".immutable"}, "Secret": {".immutable"}, "Settings": {".data.a", ".immutable"}} {
		n, err := newNotCopied(v1.FieldFilter{Include: []string{"type"}}, schema.GroupKind{Kind: kind}, false, nil)
		require.NoError(t, err)
		var found []string
		n.among(set).Iterate(func(field fieldpath.Path) { found = append(found, field.String()) })
		assert.ElementsMatch(t, given, found, kind)
	}
}

// The type of a Secret that is made of a ConfigMap is not a field of the source, so it is not one that is not copied.
func TestTypeOfAConvertedCopyIsNotGivenUp(t *testing.T) {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("data", "a"), fieldpath.MakePathOrDie("immutable"), fieldpath.MakePathOrDie("type"))
	for converted, given := range map[bool][]string{true: {".immutable"}, false: {".immutable", ".type"}} {
		n, err := newNotCopied(v1.FieldFilter{Include: []string{"data"}}, schema.GroupKind{Kind: "ConfigMap"}, converted, nil)
		require.NoError(t, err)
		var found []string
		n.among(set).Iterate(func(field fieldpath.Path) { found = append(found, field.String()) })
		assert.ElementsMatch(t, given, found)
	}
}

func TestSelectedBy(t *testing.T) {
	source := map[string]any{"spec": map[string]any{"containers": []any{
		map[string]any{"name": "web", "image": "a"}, map[string]any{"name": "proxy"},
	}}}
	tests := map[string][]any{
		"spec.replicas":                     nil,
		"spec.containers[*].image":          nil,
		"spec.containers[name=web].image":   {"web", "proxy"},
		"spec.containers[image=a].name":     {"a", nil},
		"spec.nothing[name=web]":            nil,
		"spec.containers[name=web,image=a]": {"web", "a", "proxy", nil},
	}
	for path, values := range tests {
		assert.Equal(t, values, SelectedBy(v1.FieldFilter{Exclude: []string{path}}, source), path)
	}
}
