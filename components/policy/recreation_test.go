package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestTenantsRecreateByAServiceAccountOnly(t *testing.T) {
	recreate := v1.Policy{OnImmutable: v1.ImmutableRecreate}
	assert.True(t, policy.CheckRecreation(false, recreate).IsZero())
	assert.True(t, policy.CheckRecreation(true, v1.Policy{}).IsZero())
	assert.True(t, policy.CheckRecreation(true, v1.Policy{OnImmutable: v1.ImmutableKeep}).IsZero())
	problem := policy.CheckRecreation(true, recreate)
	assert.Equal(t, v1.ReasonRuleInvalid, problem.Reason)
	assert.Equal(t, "to recreate its copy, a Projection needs a service account whose permissions it uses; copies are kept; "+
		"set spec.serviceAccountName, or remove spec.policy.onImmutable", problem.Sentence())
}
