package fleet_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
)

// load is requests to one cluster.
type load struct {
	*fleet.Slots

	mu                   sync.Mutex
	underWay, most, done int
}

func newLoad(budget *fleet.Budget, limit int) *load {
	return &load{Slots: fleet.NewSlots(budget, limit)}
}

// send makes so many requests at once, each of which takes so long once it has a slot.
func (l *load) send(ctx context.Context, requests int, takes time.Duration) {
	for range requests {
		go func() {
			slot, err := l.Acquire(ctx)
			if err != nil {
				return
			}
			l.count(1)
			<-time.After(takes)
			l.count(-1)
			slot.Release(false)
		}()
	}
}

func (l *load) count(change int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underWay += change
	l.most = max(l.most, l.underWay)
	if change < 0 {
		l.done++
	}
}

// state returns how many requests are under way, were so at most, and are done.
func (l *load) state() [3]int {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return [3]int{l.underWay, l.most, l.done}
}

func TestClusterHasItsOwnSlotBesidesTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := fleet.NewBudget(4, clock.RealClock{})
		greedy, other, last := newLoad(budget, 8), newLoad(budget, 8), newLoad(budget, 2)
		const takes = 100 * time.Millisecond
		greedy.send(t.Context(), 100, takes)
		assert.Equal(t, [3]int{5, 5, 0}, greedy.state(), "its own, and all of the budget")
		other.send(t.Context(), 100, takes)
		assert.Equal(t, [3]int{1, 1, 0}, other.state(), "its own")
		<-time.After(takes)
		assert.Equal(t, [3]int{3, 5, 5}, greedy.state())
		assert.Equal(t, [3]int{3, 3, 1}, other.state(), "the budget goes to both in turn")
		last.send(t.Context(), 3, takes)
		<-time.After(takes)
		assert.Equal(t, 2, last.state()[0], "not more than its limit")
		<-time.After(time.Hour)
		assert.Equal(t, 100, greedy.state()[2])
		assert.Equal(t, 100, other.state()[2])
		assert.Equal(t, [3]int{0, 2, 3}, last.state())
	})
}

func TestSlowClustersGetNothingOfTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := fleet.NewBudget(4, clock.RealClock{})
		slow := make([]*load, 20)
		for i := range slow {
			slow[i] = newLoad(budget, 8)
			slow[i].send(t.Context(), 100, 5*time.Second)
		}
		<-time.After(2 * time.Second) // all are known as slow
		fast := newLoad(budget, 5)
		fast.send(t.Context(), 100, 100*time.Millisecond)
		assert.Equal(t, [3]int{5, 5, 0}, fast.state(), "its own, and all of the budget")
		<-time.After(2 * time.Second)
		assert.Equal(t, 100, fast.state()[2])
		for _, each := range slow {
			assert.True(t, each.IsSlow())
		}
		<-time.After(20 * time.Second)
		for _, each := range slow {
			assert.Equal(t, 1, each.state()[0])
		}
		<-time.After(time.Hour)
	})
}

func TestClusterThatIsFastAgainGetsItsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := newLoad(fleet.NewBudget(4, clock.RealClock{}), 8)
		load.send(t.Context(), 5, 2*time.Second)
		<-time.After(10 * time.Second)
		assert.True(t, load.IsSlow())
		load.send(t.Context(), 100, 100*time.Millisecond)
		assert.Equal(t, 1, load.state()[0])
		<-time.After(450 * time.Millisecond)
		assert.Equal(t, 1, load.state()[0], "most of the last requests were slow")
		<-time.After(100 * time.Millisecond)
		assert.Equal(t, 5, load.state()[0], "most of the last requests were fast")
		<-time.After(time.Hour)
		assert.Equal(t, 105, load.state()[2])
	})
}

func TestTimeoutsMakeAClusterSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := fleet.NewSlots(fleet.NewBudget(1, clock.RealClock{}), 2)
		request := func(timedOut bool) {
			slot, err := slots.Acquire(t.Context())
			require.NoError(t, err)
			slot.Release(timedOut)
		}
		for _, step := range []struct{ timedOut, slow bool }{{true, false}, {false, false}, {true, false}, {true, true}, {false, false}} {
			request(step.timedOut)
			assert.Equal(t, step.slow, slots.IsSlow())
		}
	})
}

func TestRequestThatWaitsNoMoreLeavesItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := fleet.NewBudget(0, clock.RealClock{})
		load := newLoad(budget, 0) // one at least
		load.send(t.Context(), 1, time.Minute)
		assert.Equal(t, 1, load.state()[0])
		ctx, cancel := context.WithCancel(t.Context())
		load.send(ctx, 10, time.Minute)
		synctest.Wait()
		load.send(t.Context(), 1, time.Minute)
		cancel()
		<-time.After(time.Hour)
		assert.Equal(t, [3]int{0, 1, 2}, load.state())
		_, err := load.Acquire(ctx)
		require.ErrorIs(t, err, context.Canceled)
		slot, err := load.Acquire(t.Context())
		require.NoError(t, err)
		slot.Release(false)
	})
}

func TestLimitChangesWhileRequestsAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		load := newLoad(fleet.NewBudget(10, clock.RealClock{}), 2)
		load.send(t.Context(), 100, 100*time.Millisecond)
		assert.Equal(t, 2, load.state()[0])
		load.SetLimit(4)
		assert.Equal(t, [3]int{4, 4, 0}, load.state(), "at once")
		load.SetLimit(1)
		assert.Equal(t, 4, load.state()[0], "those that are taken stay")
		<-time.After(100 * time.Millisecond)
		assert.Equal(t, 1, load.state()[0])
		<-time.After(time.Hour)
		assert.Equal(t, 100, load.state()[2])
	})
}
