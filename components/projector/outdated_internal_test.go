package projector

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/destination"
)

// TestRuleThatOthersWriteAllTheTimeBacksOff lets each reconcile fail with a conflict: of the claim, or of the status.
func TestRuleThatOthersWriteAllTheTimeBacksOff(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Group: "projection.sh", Resource: "clusterprojections"}, "rule", assert.AnError)
	for name, failure := range map[string]error{"while it is claimed": fmt.Errorf("claim: %w", errOutdated), "while its status is written": nil} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.hub.Client, b.rules.cache = statusOnly{err: conflict}, &behind{cached: counting("1", 1)}
			reconcile := func() time.Duration {
				s := b.scope(counting("1", 1))
				s.local.outcomes = []destination.Outcome{fine("a", destination.Created)}
				result, err := s.finish(t.Context(), failure)
				require.NoError(t, err)
				return result.RequeueAfter
			}
			var delays []time.Duration
			for range 6 {
				delays = append(delays, reconcile())
			}
			ms := time.Millisecond
			assert.Equal(t, []time.Duration{50 * ms, 50 * ms, 50 * ms, 100 * ms, 200 * ms, 400 * ms}, delays)

			b.hub.Client, failure = &behind{cached: counting("1", 1)}, nil
			assert.Zero(t, reconcile(), "the status is written")
			b.hub.Client = statusOnly{err: conflict}
			assert.Equal(t, 50*ms, reconcile(), "that was the end of the row")
		})
	}
	assert.Equal(t, time.Minute, outdatedDelay(1000, time.Minute))
}

// TestNoDelayComesWithAnError lets the write of a status fail after which the rule was to be reconciled later: the queue knows a delay
// or a failure, and controller-runtime warns of both.
func TestNoDelayComesWithAnError(t *testing.T) {
	b := newFixture(t)
	b.hub.Client = statusOnly{err: assert.AnError}
	result, err := b.scope(newRule()).finish(t.Context(), terminal("no", time.Minute))
	require.ErrorIs(t, err, assert.AnError)
	assert.Zero(t, result)
}
