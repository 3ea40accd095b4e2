package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/projector/internal/memory"
)

func TestRepairsThatFollowSoonWaitLonger(t *testing.T) {
	at, most := now, 10*time.Second
	var backoff memory.Backoff
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, most, most} {
		delay := backoff.Next(at, most)
		assert.Equal(t, want, delay)
		at = at.Add(2 * delay)
	}
	at = at.Add(time.Minute)
	assert.Equal(t, time.Second, backoff.Next(at, most), "the last repair was long ago")
}
