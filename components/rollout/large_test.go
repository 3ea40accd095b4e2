package rollout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/rollout"
)

// large returns so many targets that wait, in ten waves.
func large(count int) []rollout.Target {
	targets := make([]rollout.Target, count)
	for i := range targets {
		targets[i] = rollout.Target{Wave: i % 10, State: rollout.Waiting, Changed: now.Add(-time.Hour)}
	}
	return targets
}

// TestEachOfManyCopiesIsWrittenOnce has 1,000 copies changed in ten waves, of which ten percent may be unavailable.
func TestEachOfManyCopiesIsWrittenOnce(t *testing.T) {
	targets, at, strategy := large(1000), now, healthy("10%", "", 30*time.Second)
	written, wave := 0, 0
	for window := 1; ; {
		turn := strategy.Decide(targets, window, at)
		if turn.Done {
			break
		}
		assert.GreaterOrEqual(t, turn.Wave, wave, "waves come in their order")
		wave = turn.Wave
		for _, i := range turn.Next {
			targets[i].State, targets[i].Changed = rollout.Updated, at.Truncate(time.Second)
			written++
			window++
		}
		if len(turn.Next) == 0 {
			at = turn.Again
		}
	}
	assert.Equal(t, 1000, written)
	assert.Equal(t, 9, wave)
}

func BenchmarkDecide(b *testing.B) {
	targets, strategy := large(5000), healthy("10%", "", 0)
	b.ReportAllocs()
	for b.Loop() {
		strategy.Examined(targets, now)
		strategy.Decide(targets, 5000, now)
	}
}
