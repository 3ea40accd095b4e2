package crd_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"projection.sh/operator/components/publication/crd"
)

type definition = apiextensionsv1.CustomResourceDefinition

func TestUpgradeOfDefinitions(t *testing.T) {
	tests := map[string]struct {
		change func(installed, wanted *definition)
		want   string // empty: it is safe
	}{
		"same":           {func(_, _ *definition) {}, ""},
		"names":          {func(_, d *definition) { d.Spec.Names.ShortNames, d.Spec.Names.Categories = nil, []string{"all"} }, ""},
		"columns":        {func(_, d *definition) { d.Spec.Versions[0].AdditionalPrinterColumns = nil }, ""},
		"scope":          {func(_, d *definition) { d.Spec.Scope = apiextensionsv1.ClusterScoped }, "scope: it changes from Namespaced to Cluster"},
		"kind":           {func(_, d *definition) { d.Spec.Names.Kind = "Other" }, "kind: it changes from Database to Other"},
		"version leaves": {func(_, d *definition) { d.Spec.Versions = d.Spec.Versions[:1] }, "version v1alpha1: it is no longer served"},
		"stored version leaves": {func(i, d *definition) {
			i.Status.StoredVersions = []string{"v1alpha1", "v1"}
			d.Spec.Versions = d.Spec.Versions[:1]
		}, "version v1alpha1: objects are stored in it, and it leaves"},
		"storage version leaves": {func(_, d *definition) { d.Spec.Versions = d.Spec.Versions[1:] }, "version v1: objects are stored in it, and it leaves"},
		"version not served":     {func(_, d *definition) { d.Spec.Versions[1].Served = false }, "version v1alpha1: it is no longer served"},
		"version comes":          {func(i, _ *definition) { i.Spec.Versions = i.Spec.Versions[:1] }, ""},
		"narrower version comes": {func(i, d *definition) {
			i.Spec.Versions = i.Spec.Versions[:1]
			delete(specIn(d, 1).Properties, "port")
		}, "version v1alpha1, spec.port: the field leaves"},
		"later version":        {func(_, d *definition) { delete(specIn(d, 1).Properties, "port") }, "version v1alpha1, spec.port: the field leaves"},
		"status leaves":        {func(_, d *definition) { d.Spec.Versions[0].Subresources.Status = nil }, "version v1: the subresource status comes or leaves"},
		"scale leaves":         {func(_, d *definition) { d.Spec.Versions[0].Subresources.Scale = nil }, "version v1: the subresource scale changes or leaves"},
		"subresources leave":   {func(_, d *definition) { d.Spec.Versions[0].Subresources = nil }, "the subresource status comes or leaves; version v1: the subresource scale"},
		"scale comes":          {func(i, _ *definition) { i.Spec.Versions[0].Subresources.Scale = nil }, ""},
		"selection":            {func(i, _ *definition) { i.Spec.Versions[0].SelectableFields = selectable(".spec.replicas") }, "selected by .spec.replicas"},
		"wider selection":      {func(_, d *definition) { d.Spec.Versions[0].SelectableFields = selectable(".spec.replicas") }, ""},
		"schema leaves":        {func(_, d *definition) { d.Spec.Versions[0].Schema = nil }, "version v1, the object: it has no schema"},
		"former has no schema": {func(i, _ *definition) { i.Spec.Versions[0].Schema = nil }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			installed, err := crd.Project(read(t, "databases"), offers["two-versions"].projection)
			require.NoError(t, err)
			installed.Status.StoredVersions = []string{"v1"}
			wanted := installed.DeepCopy()
			test.change(installed, wanted)
			requireUpgrade(t, test.want, installed, wanted)
		})
	}
}

func TestUpgradeNamesSomeChanges(t *testing.T) {
	installed := definitionWith(t, `{properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: string}, e: {type: string}}}`)
	assert.EqualError(t, crd.Upgrade(installed, definitionWith(t, `{}`)),
		"the CustomResourceDefinition zones.dns.example.org stays as it is, since objects of consumers could become invalid or lose fields: version v1, spec.a: "+
			"the field leaves; version v1, spec.b: the field leaves; version v1, spec.c: the field leaves; and 2 more. Undo this in the CustomResourceDefinition "+
			"of the service or in its projection, or check the objects and change the CustomResourceDefinition of consumers by hand")
}

func TestEveryOfferCanBeUpgradedToItself(t *testing.T) {
	for _, offer := range offers {
		projected, err := crd.Project(read(t, offer.service), offer.projection)
		require.NoError(t, err)
		assert.NoError(t, crd.Upgrade(projected, projected.DeepCopy()))
	}
}

// A field of schemas that a later version of Kubernetes adds has to be compared, too.
func TestNoFieldOfSchemasIsForgotten(t *testing.T) {
	known := strings.Fields(`
		Type Format Default Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Enum
		MaxProperties MinProperties Required Items AllOf OneOf AnyOf Not Properties AdditionalProperties Nullable XPreserveUnknownFields XEmbeddedResource
		XIntOrString XListMapKeys XListType XMapType XValidations
		ID Schema Ref PatternProperties Dependencies AdditionalItems Definitions
		Description Title ExternalDocs Example`) // those of the line before the last are allowed in no definition, and those of the last are for readers
	var fields []string
	for field := range reflect.TypeFor[apiextensionsv1.JSONSchemaProps]().Fields() {
		fields = append(fields, field.Name)
	}
	assert.ElementsMatch(t, known, fields)
}

func requireUpgrade(t *testing.T, want string, installed, wanted *definition) {
	t.Helper()
	before, after := installed.DeepCopy(), wanted.DeepCopy()
	err := crd.Upgrade(installed, wanted)
	require.Equal(t, before, installed)
	require.Equal(t, wanted, after)
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, want)
}

func specIn(d *definition, version int) *apiextensionsv1.JSONSchemaProps {
	spec := d.Spec.Versions[version].Schema.OpenAPIV3Schema.Properties["spec"]
	return &spec
}

func selectable(path string) []apiextensionsv1.SelectableField {
	return []apiextensionsv1.SelectableField{{JSONPath: path}}
}
