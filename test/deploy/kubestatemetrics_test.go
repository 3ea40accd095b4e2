package deploy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// ruleMetrics is what the chart's configuration uses of the format of kube-state-metrics.
type ruleMetrics struct {
	Kind string `json:"kind"`
	Spec struct {
		Resources []struct {
			GroupVersionKind struct {
				Group   string `json:"group"`
				Version string `json:"version"`
				Kind    string `json:"kind"`
			} `json:"groupVersionKind"`
			ErrorLogV      int                 `json:"errorLogV"`
			LabelsFromPath map[string][]string `json:"labelsFromPath"`
			Metrics        []struct {
				Name string `json:"name"`
				Help string `json:"help"`
				Each struct {
					Type  string `json:"type"`
					Gauge struct {
						Path           []string            `json:"path"`
						LabelsFromPath map[string][]string `json:"labelsFromPath"`
						ValueFrom      []string            `json:"valueFrom"`
						NilIsZero      bool                `json:"nilIsZero"`
					} `json:"gauge"`
				} `json:"each"`
			} `json:"metrics"`
		} `json:"resources"`
	} `json:"spec"`
}

// TestMetricsOfEachRuleAreFieldsOfIt compares the configuration for kube-state-metrics with the CRDs, and the page with it.
func TestMetricsOfEachRuleAreFieldsOfIt(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(env.Chart(), "files", "kube-state-metrics.yaml"))
	require.NoError(t, err)
	var config ruleMetrics
	require.NoError(t, yaml.UnmarshalStrict(content, &config))
	assert.Equal(t, "CustomResourceStateMetrics", config.Kind)
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "observability.md"))
	require.NoError(t, err)
	counted := map[string]bool{}
	for _, resource := range config.Spec.Resources {
		kind := resource.GroupVersionKind.Kind
		schema := schemaOf(t, kind, resource.GroupVersionKind.Version)
		for label, path := range resource.LabelsFromPath {
			assert.Equal(t, []string{"metadata", label}, path)
		}
		for _, metric := range resource.Metrics {
			gauge := metric.Each.Gauge
			assert.Equal(t, "Gauge", metric.Each.Type, metric.Name)
			assert.NotEmpty(t, metric.Help, metric.Name)
			assert.True(t, strings.HasPrefix(metric.Name, strings.ToLower(kind)+"_"), metric.Name)
			suffix := metric.Name[strings.LastIndex(metric.Name, "_"):]
			assert.True(t, strings.Contains(string(page), metric.Name+"`") || strings.Contains(string(page), "`…"+suffix+"`"), metric.Name)
			at := field(t, schema, gauge.Path)
			if at.Items != nil {
				at = *at.Items.Schema
			}
			for _, path := range gauge.LabelsFromPath {
				assert.Equal(t, "string", field(t, at, path).Type, metric.Name)
			}
			value := field(t, at, gauge.ValueFrom).Type
			assert.Contains(t, []string{"integer", "string"}, value, metric.Name)
			assert.Equal(t, value == "integer" && len(gauge.ValueFrom) == 0, gauge.NilIsZero, "%s: a count is absent if it is 0", metric.Name)
			counted[gauge.Path[1]] = true
		}
	}
	for name := range schemaOf(t, "ClusterProjection", "v1").Properties["status"].Properties {
		if strings.HasPrefix(name, "namespaces") {
			assert.True(t, counted[name], "%s is not exported", name)
		}
	}
}

// schemaOf returns the schema of a kind of rules.
func schemaOf(t *testing.T, kind, version string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.Chart(), "files", "crds", "projection.sh_"+strings.ToLower(kind)+"s.yaml"))
	require.NoError(t, err)
	var definition apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.Unmarshal(content, &definition))
	require.Equal(t, kind, definition.Spec.Names.Kind)
	require.Equal(t, version, definition.Spec.Versions[0].Name)
	return *definition.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// field returns the schema of a field of an object.
func field(t *testing.T, object apiextensionsv1.JSONSchemaProps, path []string) apiextensionsv1.JSONSchemaProps {
	t.Helper()
	for _, name := range path {
		next, found := object.Properties[name]
		require.True(t, found, "there is no field %s in %v", name, path)
		object = next
	}
	return object
}
