package v1alpha1_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

var update = flag.Bool("update", false, "write the golden file again")

// TestSchemaIsAsReviewed has each change of the schema show as a changed line, without the descriptions.
func TestSchemaIsAsReviewed(t *testing.T) {
	for _, plural := range []string{"publishedresources", "remoteclusters"} {
		t.Run(plural, func(t *testing.T) { checkSchema(t, plural) })
	}
}

func checkSchema(t *testing.T, plural string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.CRDs(), "projection.sh_"+plural+".yaml"))
	require.NoError(t, err)
	var definition apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.UnmarshalStrict(content, &definition))
	require.Len(t, definition.Spec.Versions, 1)
	undescribe(definition.Spec.Versions[0].Schema.OpenAPIV3Schema)
	rendered, err := yaml.Marshal(definition.Spec)
	require.NoError(t, err)

	path := filepath.Join("testdata", plural+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, rendered, 0o600))
	}
	golden, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(golden), string(rendered), "if this is meant, run: go test ./api/v1alpha1 -run SchemaIsAsReviewed -update")
}

// undescribe removes the descriptions of a schema, and of its parts.
func undescribe(schema *apiextensionsv1.JSONSchemaProps) {
	schema.Description = ""
	for name, property := range schema.Properties {
		undescribe(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil {
		undescribe(schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		undescribe(schema.AdditionalProperties.Schema)
	}
}
