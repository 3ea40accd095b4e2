package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// silent is a watch that only knows whether it is closed.
type silent struct{ closed bool }

func (s *silent) Close() { s.closed = true }

func TestTimerOfAnEarlierIdleTimeEndsNothing(t *testing.T) {
	kind, rule := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, ruleOf(v1.KindProjection, "here")
	pool := NewPool[RuleKey](func(schema.GroupVersionResource) *silent { return &silent{} }).WithIdleTTL(time.Hour)
	watch := pool.Hold(rule, kind)[0]
	pool.Hold(rule)
	entry := pool.watches[kind]
	earlier := entry.idle
	pool.Hold(rule, kind) // while the timer is about to run
	pool.Hold(rule)
	later := entry.idle
	require.NotSame(t, earlier, later)

	pool.expire(kind, entry, earlier)
	assert.False(t, watch.closed)
	assert.Len(t, pool.watches, 1)

	pool.expire(kind, entry, later)
	assert.True(t, watch.closed)
	assert.Empty(t, pool.watches)
}
