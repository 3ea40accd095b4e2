package crd_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/components/publication/crd"
	"projection.sh/operator/mutations/paths"
)

// FuzzProject projects any definition: no panic, the same result twice, which can be upgraded to itself, the definition of the service as it was, a structural schema,
// and no hidden field in it.
func FuzzProject(f *testing.F) {
	for _, offer := range offers {
		encoded, err := json.Marshal(read(f, offer.service))
		require.NoError(f, err)
		for _, field := range append(offer.projection.Hide, "spec.issuerRef.name", "spec") {
			f.Add(encoded, "example.com", offer.projection.Kind, "v1", field)
		}
	}
	f.Fuzz(func(t *testing.T, encoded []byte, group, kind, version, field string) {
		service := &apiextensionsv1.CustomResourceDefinition{}
		if json.Unmarshal(encoded, service) != nil {
			return
		}
		before := service.DeepCopy()
		projection := crd.Projection{Group: group, Kind: kind, Versions: []string{version}, Hide: []string{field}}
		projected, err := crd.Project(service, projection)
		require.Equal(t, before, service)
		again, errAgain := crd.Project(service, projection)
		require.Equal(t, projected, again)
		require.Equal(t, err, errAgain)
		if err != nil {
			return
		}
		require.NoError(t, crd.Upgrade(projected, projected))
		require.Empty(t, projected.Labels)
		require.Empty(t, projected.Annotations)
		path, err := paths.Parse(field)
		require.NoError(t, err)
		for _, version := range projected.Spec.Versions {
			requireStructural(t, version.Schema.OpenAPIV3Schema)
			require.False(t, has(version.Schema.OpenAPIV3Schema, path.Steps()), "%s is not hidden", field)
		}
	})
}

func requireStructural(t *testing.T, schema *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, internal, nil))
	converted, err := structural.NewStructural(internal)
	require.NoError(t, err)
	require.Empty(t, structural.ValidateStructural(nil, converted))
}

// has reports whether the schema names the field, or lets an object keep it without.
func has(schema *apiextensionsv1.JSONSchemaProps, steps []paths.Step) bool {
	below := slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf)
	if schema.Not != nil {
		below = append(below, *schema.Not)
	}
	if slices.ContainsFunc(below, func(nested apiextensionsv1.JSONSchemaProps) bool { return has(&nested, steps) }) {
		return true
	}
	name := steps[0].Field
	if name == "" {
		return schema.Items != nil && has(schema.Items.Schema, steps[1:])
	}
	property, found := schema.Properties[name]
	if len(steps) > 1 {
		return found && has(&property, steps[1:])
	}
	preserved := schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
	return found || preserved || slices.Contains(schema.Required, name)
}
