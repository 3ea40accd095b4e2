package crd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/publication/crd"
)

func TestProjectRefuses(t *testing.T) {
	tests := map[string]struct {
		service    string
		projection crd.Projection
		want       string
	}{
		"group of Kubernetes": {"databases", crd.Projection{},
			"the CustomResourceDefinition postgresclusters.db.k8s.io cannot be offered to consumers: the group db.k8s.io belongs to the Kubernetes project, and " +
				"API servers accept CRDs in it only with its approval. Choose a group of another domain"},
		"version that is not served": {"certificates", crd.Projection{Versions: []string{"v0"}}, "it does not serve the version v0"},
		"version twice":              {"certificates", crd.Projection{Versions: []string{"v1", "v1"}}, "the version v1 is chosen twice"},
		"versions that differ": {"certificates", crd.Projection{Versions: []string{"v1", "v1alpha1"}},
			"the schemas of the versions v1 and v1alpha1 differ, and nothing converts objects"},
		"one name for two versions": {
			"databases", crd.Projection{Group: "example.com", Versions: []string{"v1", "v1alpha1"}, RenamedVersions: map[string]string{"v1alpha1": "v1"}},
			"the versions v1 and v1alpha1 would both be named v1"},
		"version that is renamed only": {"zones", crd.Projection{RenamedVersions: map[string]string{"v2": "v3"}}, "the version v2 is renamed and not offered"},
		"invalid version":              {"zones", crd.Projection{RenamedVersions: map[string]string{"v1": "V1"}}, "API servers refuse what consumers would see: "},
		"invalid kind":                 {"zones", crd.Projection{Kind: "Zo ne"}, "API servers refuse what consumers would see: "},
		"no path":                      {"zones", crd.Projection{Hide: []string{".spec"}}, `".spec" is not the path of a field`},
		"unknown field":                {"zones", crd.Projection{Hide: []string{"spec.domian"}}, "the schema has no field spec.domian to hide"},
		"name":                         {"zones", crd.Projection{Hide: []string{"metadata.labels"}}, "metadata.labels cannot be hidden: every object has it"},
		"certain elements": {
			"certificates", crd.Projection{Hide: []string{"spec.hosts[name=www].weight"}}, "a schema has no elements of a list with certain values"},
		"elements": {"certificates", crd.Projection{Hide: []string{"spec.hosts[*]"}}, "it is all elements of a list. Hide the list"},
		"key of a list": {"certificates", crd.Projection{Hide: []string{"spec.hosts[*].name"}},
			"version v1: spec.hosts[*].name cannot be hidden: the elements of its list are identified by it. Hide the list"},
		"status":       {"certificates", crd.Projection{Hide: []string{"status"}}, "status cannot be hidden: consumers learn from it"},
		"key of a map": {"databases", crd.Projection{Group: "example.com", Hide: []string{"spec.parameters.x"}}, "no field spec.parameters.x to hide"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := crd.Project(read(t, test.service), test.projection)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// Each schema is that of spec, in which spec.secret is hidden.
func TestHiddenFieldsThatAreNamedElsewhere(t *testing.T) {
	tests := map[string]struct{ schema, want, refused string }{
		"unknown fields": {schema: `{x-kubernetes-preserve-unknown-fields: true, properties: {secret: {type: string}}}`,
			refused: "version v1: spec.secret cannot be hidden: the object around it preserves unknown fields, so consumers could still set it. Hide that object"},
		"alternative": {schema: `{oneOf: [{required: [secret]}, {required: [open]}], properties: {secret: {type: string}, open: {type: string}}}`,
			refused: "the schema names it in anyOf, oneOf or not"},
		"negation": {schema: `{not: {properties: {secret: {enum: [x]}}}, properties: {secret: {type: string}}}`,
			refused: "the schema names it in anyOf, oneOf or not"},
		"nested alternative": {schema: `{anyOf: [{allOf: [{required: [secret]}]}], properties: {secret: {type: string}}}`,
			refused: "the schema names it in anyOf, oneOf or not"},
		"enumeration": {schema: `{enum: [{secret: x}], properties: {secret: {type: string}}}`, refused: "a value around it is one of an enumeration"},
		"too few":     {schema: `{minProperties: 1, properties: {secret: {type: string}}}`, refused: "the object around it needs 1 fields"},
		"embedded object": {
			schema: `{x-kubernetes-embedded-resource: true, properties: {secret: {type: string}, kind: {type: string}}}`,
			want:   `{x-kubernetes-embedded-resource: true, properties: {kind: {type: string}}}`},
		"conjunction": {
			schema: `{allOf: [{required: [secret]}, {properties: {secret: {minLength: 1}}}], properties: {secret: {type: string}}}`,
			want:   `{allOf: [{}, {}]}`},
		"default": {
			schema: `{default: {secret: x, big: 9007199254740993}, properties: {secret: {type: string}, big: {type: integer}}}`,
			want:   `{default: {big: 9007199254740993}, properties: {big: {type: integer}}}`},
		"optional old value": {
			schema: `{x-kubernetes-validations: [{rule: "!oldSelf.?secret.hasValue()", optionalOldSelf: true}], properties: {secret: {type: string}}}`,
			want:   `{}`},
		"path of a message": {
			schema: `{x-kubernetes-validations: [{rule: "self == oldSelf", fieldPath: .secret}], properties: {secret: {type: string}}}`,
			want:   `{}`},
		"escaped name": {
			schema: `{x-kubernetes-validations: [{rule: "self.a__dash__b == 'x'"}], properties: {secret: {type: string}, a-b: {type: string}}}`,
			want:   `{x-kubernetes-validations: [{rule: "self.a__dash__b == 'x'"}], properties: {a-b: {type: string}}}`},
		"type that is not known": {
			schema: `{x-kubernetes-validations: [{rule: "dyn(self).secret == 'x'"}], properties: {secret: {type: string}}}`,
			refused: `version v1: it cannot be said whether the rule "dyn(self).secret == 'x'" of spec names a hidden field: it reads fields of a value whose type ` +
				`is not known before. Hide all of spec, or nothing below it`},
		"keys of a type that is not known": {
			schema:  `{x-kubernetes-validations: [{rule: "dyn(self).all(k, k != 'secret')"}], properties: {secret: {type: string}}}`,
			refused: "it cannot be said whether the rule"},
		"key in a type that is not known": {
			schema:  `{x-kubernetes-validations: [{rule: "!('secret' in dyn(self))"}], properties: {secret: {type: string}}}`,
			refused: "it cannot be said whether the rule"},
		"index of a type that is not known": {
			schema:  `{x-kubernetes-validations: [{rule: "dyn(self)['secret'] == 'x'"}], properties: {secret: {type: string}}}`,
			refused: "it cannot be said whether the rule"},
		"optional of a type that is not known": {
			schema:  `{x-kubernetes-validations: [{rule: "!optional.of(dyn(self)).?secret.hasValue()"}], properties: {secret: {type: string}}}`,
			refused: "it cannot be said whether the rule"},
		"rule that is not understood": {
			schema:  `{x-kubernetes-validations: [{rule: "self.secret.future()"}], properties: {secret: {type: string}}}`,
			refused: "it cannot be said whether the rule"},
		"type that is known when it is evaluated": {
			schema: `{x-kubernetes-validations: [{rule: "type(self.port) == int"}], properties: {secret: {type: string}, port: {x-kubernetes-int-or-string: true}}}`,
			want:   `{x-kubernetes-validations: [{rule: "type(self.port) == int"}], properties: {port: {x-kubernetes-int-or-string: true}}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			projected, err := crd.Project(definitionWith(t, test.schema), crd.Projection{Hide: []string{"spec.secret"}})
			if test.refused != "" {
				require.ErrorContains(t, err, test.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, specOf(definitionWith(t, test.want)), specOf(projected))
		})
	}
}

// definitionWith returns a definition whose spec has the schema.
func definitionWith(t testing.TB, schema string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition := read(t, "zones")
	var spec apiextensionsv1.JSONSchemaProps
	require.NoError(t, yaml.UnmarshalStrict([]byte(schema), &spec))
	if spec.Type == "" {
		spec.Type = "object"
	}
	if spec.Properties == nil {
		spec.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	return definition
}

func specOf(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.JSONSchemaProps {
	spec := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if len(spec.Required) == 0 {
		spec.Required = nil
	}
	for i := range spec.AllOf {
		spec.AllOf[i].Required, spec.AllOf[i].Properties = nil, nil
	}
	return spec
}
