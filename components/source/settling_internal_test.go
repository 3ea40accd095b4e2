package source

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSettling(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &Resolver{clock: func() time.Time { return now }}
	assert.False(t, r.Settling(), "nothing has changed")
	r.DefinitionsChanged()
	assert.True(t, r.Settling())
	now = now.Add(settling - time.Millisecond)
	assert.True(t, r.Settling())
	now = now.Add(time.Millisecond)
	assert.False(t, r.Settling())
	r.DefinitionsChanged()
	assert.True(t, r.Settling())
}
