package source

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSettling(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := NewResolver(nil, Registry{}, RulesCluster)
	r.clock = func() time.Time { return now }
	const group, other = "example.com", "other.example.com"
	assert.False(t, r.IsPropagating(group), "nothing has changed")
	r.DefinitionsChanged(group)
	assert.True(t, r.IsPropagating(group))
	assert.False(t, r.IsPropagating(other))
	now = now.Add(propagation - time.Millisecond)
	assert.True(t, r.IsPropagating(group))
	now = now.Add(time.Millisecond)
	assert.False(t, r.IsPropagating(group))
	r.DefinitionsChanged(allGroups)
	assert.True(t, r.IsPropagating(group))
	assert.True(t, r.IsPropagating(other))
	assert.NotContains(t, r.changed, group, "what is long ago is forgotten")
}
