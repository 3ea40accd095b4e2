package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// TestConsentIsTheSameByAnnotationsAlone compares what is decided before each write with what the plan was made by.
func TestConsentIsTheSameByAnnotationsAlone(t *testing.T) {
	annotations := map[string]map[string]string{
		"none": nil, "another": {"other": "true"}, "empty": {v1.AnnotationProjectable: ""}, "consent": {v1.AnnotationProjectable: "true"},
		"veto": {v1.AnnotationProjectable: "false"}, "neither": {v1.AnnotationProjectable: "True"},
		"some namespaces": {v1.AnnotationProjectable: "namespaces: team=shop"}, "no selector": {v1.AnnotationProjectable: "namespaces: team in"},
		"a typing error": {v1.AnnotationProjectable: "Namespaces: team=shop"},
	}
	for _, mode := range []policy.Mode{policy.Allowlist, policy.Permissive} {
		for name, said := range annotations {
			source := &unstructured.Unstructured{}
			source.SetKind("ConfigMap")
			source.SetAnnotations(said)
			assert.Equal(t, mode.CheckSource(source).IsZero(), mode.Consents(said), "%s, %s", mode, name)
		}
	}
	assert.True(t, policy.Allowlist.Consents(annotations["consent"]))
	assert.False(t, policy.Permissive.Consents(annotations["veto"]))
}
