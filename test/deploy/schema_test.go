package deploy_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// value is one that the schema knows.
type value struct {
	path, description string
	fallback          any // in values.yaml
}

// schema is the part of a JSON schema that describes values.
type schema struct {
	Description          string            `json:"description"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties any               `json:"additionalProperties"`
}

// foreign are values that a parent chart sets; they stand in no values.yaml.
var foreign = []string{"enabled"}

// shared are values that a parent chart shares with all of its subcharts, which need others of them.
const shared = "global."

// documented returns every value of the chart, in the order of values.yaml's paths. Each must be in the schema and in values.yaml.
func documented(t *testing.T) []value {
	t.Helper()
	var root schema
	content, err := os.ReadFile(filepath.Join(env.Chart(), "values.schema.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &root))
	var defaults map[string]any
	content, err = os.ReadFile(filepath.Join(env.Chart(), "values.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &defaults))
	for _, name := range foreign {
		delete(root.Properties, name)
	}
	return walk(t, "", root, defaults)
}

func walk(t *testing.T, prefix string, level schema, defaults map[string]any) []value {
	t.Helper()
	require.Equalf(t, prefix == shared, level.AdditionalProperties, "whether %q takes what it does not know", prefix)
	var values []value
	for name, property := range level.Properties {
		fallback, found := defaults[name]
		assert.Truef(t, found, "%s is not in values.yaml", prefix+name)
		assert.NotEmptyf(t, property.Description, "%s has no description", prefix+name)
		if property.Properties == nil {
			values = append(values, value{prefix + name, property.Description, fallback})
			continue
		}
		below, isMap := fallback.(map[string]any)
		require.Truef(t, isMap, "%s is no map in values.yaml", prefix+name)
		values = append(values, walk(t, prefix+name+".", property, below)...)
	}
	for name := range defaults {
		assert.Containsf(t, level.Properties, name, "%s is not in the schema", prefix+name)
	}
	slices.SortFunc(values, func(a, b value) int { return strings.Compare(a.path, b.path) })
	return values
}
