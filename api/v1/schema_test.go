package v1_test

import (
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fields are the fields of both kinds that are ours to describe, by their paths.
func fields(t *testing.T) iter.Seq2[string, *apiextensionsv1.JSONSchemaProps] {
	t.Helper()
	found := map[string]*apiextensionsv1.JSONSchemaProps{}
	for kind := range resources {
		root := definition(t, kind).Spec.Versions[0].Schema.OpenAPIV3Schema
		walk("", root, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			if path != ".metadata" && path != ".apiVersion" && path != ".kind" {
				found[kind+path] = schema
			}
		})
	}
	require.Contains(t, found, "Projection.spec.source.kind")
	require.Contains(t, found, "ClusterProjection.status.failures[].reason")
	return maps.All(found)
}

func TestEveryFieldIsExplained(t *testing.T) {
	for path, schema := range fields(t) {
		assert.GreaterOrEqual(t, len(strings.Fields(schema.Description)), 5, "the description of %s is too short: %q", path, schema.Description)
		assert.True(t, strings.HasSuffix(schema.Description, "."), "the description of %s is no sentence: %q", path, schema.Description)
	}
}

func TestEveryFieldIsBounded(t *testing.T) {
	for path, schema := range fields(t) {
		switch {
		case schema.Type == "string" && len(schema.Enum) == 0 && schema.Format != "date-time":
			assert.NotNil(t, schema.MaxLength, "%s has no maxLength", path)
		case schema.Type == "array":
			assert.NotNil(t, schema.MaxItems, "%s has no maxItems", path)
			assert.NotNil(t, schema.XListType, "%s has no list type", path)
		case schema.AdditionalProperties != nil:
			assert.NotNil(t, schema.MaxProperties, "%s has no maxProperties", path)
		case schema.Type == "integer":
			assert.NotNil(t, schema.Minimum, "%s has no minimum", path)
		}
	}
}

func TestEveryRuleSaysWhatToWrite(t *testing.T) {
	for path, schema := range fields(t) {
		for _, rule := range schema.XValidations {
			assert.NotEmpty(t, rule.Message, "%s: %s", path, rule.Rule)
			assert.NotNil(t, rule.Reason, "%s: %s", path, rule.Rule)
			if schema.Type == "object" && schema.AdditionalProperties == nil && rule.Rule != "false" { // "false" refuses the object itself
				assert.NotEmpty(t, rule.FieldPath, "%s: %s blames no field", path, rule.Rule)
			}
		}
	}
}
