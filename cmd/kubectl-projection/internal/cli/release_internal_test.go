package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/components/owner"
)

func TestReleaseClaimsNothingThatIsNotKnown(t *testing.T) {
	rule := access.Rule{
		Identity: owner.Identity{Kind: owner.Projection, Namespace: "shop", Name: "ca"}, Object: &v1.Projection{},
	}
	assert.Equal(t, []string{"?: whether the Projection shop/ca still wants a copy there: you may not read the source"},
		demand(rule, "shop", forecast.Verdict{State: forecast.Unknown, Message: "you may not read the source"}))
	assert.Equal(t, []string{"The Projection shop/ca wants a copy there, and cannot have it now: the namespace is being deleted"},
		demand(rule, "shop", forecast.Verdict{State: forecast.Blocked, Message: "the namespace is being deleted"}))
	assert.Equal(t, []string{"The Projection shop/ca wants no copy there now."}, demand(rule, "shop", forecast.Verdict{State: forecast.NotTarget}))
	rule.Spec.Suspended = true
	assert.Contains(t, demand(rule, "shop", forecast.Verdict{State: forecast.InSync})[0], "the operator creates a copy again when the rule is resumed.")
}
