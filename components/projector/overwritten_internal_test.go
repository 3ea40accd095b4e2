package projector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "projection.sh/operator/api/v1"
)

func TestStatusThatSomebodyElseHasWrittenIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, queued := newFixture(t), newItems(t)
		c := &behind{cached: counting("1", 1)}
		b.hub.Client, b.rules.cache = c, c
		update := func(before, after *v1.ClusterProjection) {
			b.ruleEvents().Update(t.Context(), event.TypedUpdateEvent[*v1.ClusterProjection]{ObjectOld: before, ObjectNew: after}, queued)
		}
		p := b.scope(counting("1", 1))
		p.rule.Status.NamespacesWritten = new(int32(2))
		require.NoError(t, p.writeStatus(t.Context()))
		update(counting("1", 1), counting("2", 2))
		update(counting("2", 2), counting("3", 2))
		<-time.After(time.Hour) // longer than any repair of a status is delayed
		synctest.Wait()
		assert.Zero(t, queued.Len(), "it is ours")

		update(counting("3", 2), counting("4", 9))
		request, _ := queued.Get()
		assert.Equal(t, ruleKey, request.NamespacedName)
		queued.ShutDown()
	})
}
