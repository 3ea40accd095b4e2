package clusterprojection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// TestNothingIsConcludedWithoutTheScope has the cluster of the namespaces not be known.
func TestNothingIsConcludedWithoutTheScope(t *testing.T) {
	lists := rule("lists", v1.ClusterProjectionDestination{Namespaces: []string{"tenant"}})
	n := NewNamespaces(one{namespace: namespace("", false)}, nil, nil, nil)
	n.Set(Cluster{Kind: owner.ClusterProjection, ScopeOf: func(*v1.ClusterProjection) (Scope, error) { return Scope{}, assert.AnError }})
	_, err := n.Targets(t.Context(), &lists)
	require.ErrorIs(t, err, assert.AnError)
	assert.True(t, n.StillTarget(t.Context(), &lists)("tenant"))
	assert.False(t, n.Dropped(t.Context(), &lists)("tenant"))
	assert.False(t, n.hasEnded(&lists, namespace("", false), nil))
}
