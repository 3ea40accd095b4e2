package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestTenantsChooseFieldsOfDataOnly(t *testing.T) {
	excluded, included := v1.FieldFilter{Exclude: []string{"spec.podSelector"}}, v1.FieldFilter{Include: []string{"spec"}}
	for _, test := range []struct {
		group, kind string
		fields      v1.FieldFilter
		namespaced  bool
		refused     bool
	}{
		{"", "ConfigMap", excluded, true, false},
		{"", "Secret", included, true, false},
		{"apps", "Deployment", v1.FieldFilter{}, true, false},
		{"apps", "Deployment", excluded, false, false},
		{"apps", "Deployment", excluded, true, true},
		{"apps", "Deployment", included, true, true},
		{"example.com", "Secret", excluded, true, true},
		{"", "ConfigMap", v1.FieldFilter{Exclude: []string{"data.key"}}, false, true},
		{"", "Secret", v1.FieldFilter{Include: []string{`data["a.b"]`}}, true, true},
		{"", "Secret", v1.FieldFilter{Exclude: []string{"data"}}, true, false},
		{"example.com", "Settings", v1.FieldFilter{Exclude: []string{"data.key"}}, false, false},
	} {
		source := v1.SourceRef{Group: test.group, Kind: test.kind, Namespace: "home", Name: "it"}
		problem := policy.CheckFields(test.namespaced, source, test.fields)
		assert.Equal(t, test.refused, !problem.IsZero(), "%+v", test)
	}
	problem := policy.CheckFields(true, v1.SourceRef{Group: "apps", Kind: "Deployment"}, excluded)
	assert.Equal(t, v1.ReasonRuleInvalid, problem.Reason)
	assert.Equal(t, "to choose fields of a Deployment, a Projection needs a service account whose permissions it uses; "+
		"copies are kept; set spec.serviceAccountName, or remove spec.content.fields", problem.Sentence())
}
