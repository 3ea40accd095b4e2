package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestExport(t *testing.T) {
	const hub = "aaed8c1a-1758-4b9a-9f0a-4c0e8a536f8e"
	for name, test := range map[string]struct {
		value   string // empty: there is no annotation
		reason  string
		message string
	}{
		"all clusters":        {value: "true"},
		"this cluster":        {value: hub},
		"this and another":    {value: "other, " + hub},
		"nobody":              {reason: v1.ReasonSourceNotExportable, message: "the owner of ConfigMap pki/roots has not opted in for other clusters"},
		"another cluster":     {value: "other", reason: v1.ReasonSourceNotExportable, message: "the annotation projection.sh/exportable of ConfigMap pki/roots does not name this cluster, whose hub id is " + hub},
		"the beginning of it": {value: hub[:8], reason: v1.ReasonSourceNotExportable, message: "the annotation projection.sh/exportable of ConfigMap pki/roots does not name this cluster, whose hub id is " + hub},
		"opted out":           {value: "false", reason: v1.ReasonSourceOptedOut, message: `the owner of ConfigMap pki/roots has opted out by the annotation projection.sh/exportable: "false"`},
	} {
		t.Run(name, func(t *testing.T) {
			source := &unstructured.Unstructured{Object: map[string]any{"kind": "ConfigMap"}}
			source.SetNamespace("pki")
			source.SetName("roots")
			if test.value != "" {
				source.SetAnnotations(map[string]string{v1.AnnotationExportable: test.value})
			}
			problem := policy.CheckExport(source, policy.Export{Identity: hub})
			assert.Equal(t, test.reason, problem.Reason)
			assert.Equal(t, test.message, problem.Message)
			assert.Equal(t, test.reason == "", policy.MayExport(source.GetAnnotations(), hub))
		})
	}
}

// TestHubWithoutAnID has an empty entry of the annotation name no cluster.
func TestHubWithoutAnID(t *testing.T) {
	assert.False(t, policy.MayExport(map[string]string{v1.AnnotationExportable: "one,"}, ""))
}
