package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

func TestWhatWasSeenOfACopyHoldsUntilItIsChanged(t *testing.T) {
	copied := destination.State{Content: "hash", ChangedAt: 7}
	known := memory.NewHealth(copied, now.Add(time.Second), false)
	assert.True(t, known.IsOf(copied))
	assert.False(t, known.IsOf(destination.State{Content: "hash", ChangedAt: 8}), "it was written again")
	assert.False(t, known.IsOf(destination.State{Content: "newer", ChangedAt: 7}), "in the same second")
	forged := destination.State{ChangedAt: 7}
	assert.True(t, memory.NewHealth(forged, now, false).IsOf(forged), "its content hash was removed")
	assert.False(t, memory.Health{}.IsOf(destination.State{}), "it was just written")
}
