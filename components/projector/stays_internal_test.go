package projector

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
)

// denying is a cluster that may not be written to for a reason.
type denying struct{ err error }

func (denying) Identity() string                           { return "1" }
func (denying) User() impersonate.User                     { return impersonate.Operator() }
func (d denying) Denied(context.Context, owner.Spec) error { return d.err }

func (denying) Forbidden(*v1.ClusterProjection, owner.Spec) error { return nil }

// TestPlanDoesNotHoldAnyMore has the cluster of a branch change between the plan and the first deletion.
func TestPlanDoesNotHoldAnyMore(t *testing.T) {
	f := newFixture(t)
	s := f.scope(newRule())
	require.NoError(t, s.checkStays(t.Context()), "the copies are in the cluster of the rule")

	leaves, isTarget := Stays, true
	var unknown error
	s.branch = &Branch[*v1.ClusterProjection]{
		Destination: denying{}, Leaves: func() Leaving { return leaves },
		IsTarget: func(*v1.ClusterProjection) (bool, error) { return isTarget, unknown },
	}
	require.NoError(t, s.checkStays(t.Context()))
	s.branch.Destination = denying{assert.AnError}
	require.ErrorIs(t, s.checkStays(t.Context()), assert.AnError)
	s.branch.Destination, leaves = denying{}, Orphans
	require.ErrorIs(t, s.checkStays(t.Context()), errWaits)

	unknown = assert.AnError
	require.ErrorIs(t, s.finishBranch(t.Context(), nil), assert.AnError)
	assert.False(t, s.report.IsClear)
	f.branch = s.branch
	assert.True(t, f.concerns(newRule()), "who reconciles it finds out")
}
