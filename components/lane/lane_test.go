package lane_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/watch"
)

var limits = lane.Limits{PerLane: 2, PerRule: 3, Total: 4, Slow: time.Second, Wait: 100 * time.Millisecond, Remember: time.Minute}

const tooLong = 2 * time.Second

// road is lanes, and the rules that they have enqueued.
type road struct {
	*lane.Lanes[string]

	mu       sync.Mutex
	enqueued []string
}

func newRoad() *road {
	r := &road{}
	r.Lanes = lane.New[string](limits, lane.ByNamespace, func(rule watch.RuleKey) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.enqueued = append(r.enqueued, rule.Name)
	})
	return r
}

func (r *road) woken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.enqueued)
}

func rule(name string) watch.RuleKey {
	return watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "team", Name: name}}
}

func in(namespace, name string) lane.Target {
	return lane.Target{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// taking returns a request that takes so long, and results in the name.
func taking(long time.Duration, result string) func() string {
	return func() string {
		<-time.After(long)
		return result
	}
}

// results are what came before the batch was closed.
type results struct {
	mu  sync.Mutex
	all []string
}

func (r *results) come() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

func (r *results) add(result string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, result)
}

func TestBatchHasTheResultsOfItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		batch := road.Open(rule("a"), func() { t.Error("no request is slow") })
		began := time.Now()
		for i := range 6 { // each in a namespace of its own, and three at a time
			namespace := fmt.Sprint("n", i)
			batch.Go(t.Context(), in(namespace, "x"), taking(time.Second/2, namespace), got.add)
		}
		batch.Wait(t.Context())
		assert.ElementsMatch(t, []string{"n0", "n1", "n2", "n3", "n4", "n5"}, got.come())
		assert.Equal(t, time.Second, time.Since(began))
		assert.Empty(t, road.woken())
		assert.Empty(t, road.Take(rule("a")))
	})
}

func TestResultOfARequestThatNobodyWaitsForIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		var slow atomic.Int32
		way, giveWay := context.WithTimeout(t.Context(), 2*time.Second)
		defer giveWay()
		batch := road.Open(rule("a"), func() { slow.Add(1) })
		batch.Go(way, in("slow", "x"), taking(10*time.Second, "late"), got.add)
		batch.Go(way, in("fast", "x"), taking(time.Millisecond, "early"), got.add)
		batch.Wait(way)

		assert.Equal(t, []string{"early"}, got.come())
		assert.EqualValues(t, 1, slow.Load())
		assert.True(t, road.IsSlow("slow"))
		assert.False(t, road.IsSlow("fast"))
		assert.Contains(t, road.UnderWay(rule("a")), in("slow", "x"))
		assert.Empty(t, road.Take(rule("a")))

		again := road.Open(rule("a"), func() {})
		again.Go(t.Context(), in("slow", "x"), taking(0, "twice"), got.add)
		again.Wait(t.Context())
		assert.Equal(t, []string{"early"}, got.come(), "no second request for what is under way")

		<-time.After(10 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"a"}, road.woken())
		assert.Equal(t, map[lane.Target]string{in("slow", "x"): "late"}, road.Take(rule("a")))
		assert.Empty(t, road.Take(rule("a")), "a result is taken once")
		assert.Empty(t, road.UnderWay(rule("a")))
	})
}

func TestRuleIsEnqueuedWhenItsNamespaceHasASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		write := func(name string, long time.Duration) {
			batch := road.Open(rule(name), func() {})
			batch.Go(t.Context(), in("slow", name), taking(long, name), got.add)
			batch.Wait(t.Context())
			road.Finish(rule(name), road.Reserved(rule(name)))
		}
		for _, name := range []string{"a", "b"} {
			go write(name, 10*time.Second)
		}
		synctest.Wait()
		began := time.Now()
		write("c", 0)
		assert.Equal(t, limits.Wait, time.Since(began), "it waits for a slot, as long as the namespace is not known as slow")
		<-time.After(2 * time.Second)
		write("d", 0)
		assert.Empty(t, got.come())
		assert.Empty(t, road.woken())

		<-time.After(10 * time.Second)
		synctest.Wait()
		assert.ElementsMatch(t, []string{"a", "b"}, got.come())
		assert.Equal(t, []string{"c", "d"}, road.woken(), "first come, first served")
		go write("e", time.Hour)
		synctest.Wait()
		assert.Len(t, got.come(), 2, "the slots are kept for the rules that were enqueued")
		write("c", 0)
		write("d", 0)
		assert.ElementsMatch(t, []string{"a", "b", "c", "d"}, got.come())
		synctest.Wait()
		assert.Equal(t, []string{"c", "d", "e"}, road.woken())
		road.Finish(rule("e"), road.Reserved(rule("e"))) // it needs no slot any more
		write("f", 0)
		assert.Contains(t, got.come(), "f")
	})
}

func TestRequestThatHasToGiveWayIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		way, giveWay := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer giveWay()
		batch := road.Open(rule("a"), func() {})
		for i := range 2 * limits.PerRule {
			name := fmt.Sprint("n", i)
			batch.Go(way, in(name, "x"), taking(time.Hour, name), got.add)
		}
		batch.Wait(way)
		assert.Empty(t, got.come())
		assert.Len(t, road.UnderWay(rule("a")), limits.PerRule)
		<-time.After(2 * time.Hour)
		synctest.Wait()
		assert.Len(t, road.Take(rule("a")), limits.PerRule)
	})
}

func TestNamespaceIsNotSlowForEver(t *testing.T) {
	tests := map[string]struct {
		next time.Duration // how long the next request takes; 0: there is none
		wait time.Duration
		slow bool
	}{
		"soon after":                {0, limits.Remember - time.Second, true},
		"long after":                {0, limits.Remember, false},
		"after a quick request":     {time.Millisecond, 0, false},
		"after another slow one":    {tooLong, limits.Remember - time.Second, true},
		"long after the second one": {tooLong, limits.Remember, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				road := newRoad()
				write := func(long time.Duration) {
					batch := road.Open(rule("a"), func() {})
					batch.Go(t.Context(), in("n", "x"), taking(long, ""), func(string) {})
					batch.Wait(t.Context())
				}
				write(tooLong)
				require.True(t, road.IsSlow("n"))
				if test.next > 0 {
					<-time.After(limits.Remember / 2)
					write(test.next)
				}
				<-time.After(test.wait)
				synctest.Wait()
				assert.Equal(t, test.slow, road.IsSlow("n"))
			})
		})
	}
}

func TestSlotThatIsKeptLaterIsForTheNextReconcile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		road, got := newRoad(), &results{}
		occupy := func(name string, long time.Duration) {
			batch := road.Open(rule(name), func() {})
			batch.Go(t.Context(), in("n", name), taking(long, name), got.add)
			batch.Wait(t.Context())
		}
		for i := range limits.PerLane {
			go occupy(fmt.Sprint("first", i), time.Minute)
		}
		synctest.Wait()
		before := road.Reserved(rule("a"))
		occupy("a", 0)
		occupy("b", 0) // both wait for a slot
		<-time.After(time.Hour)
		require.Equal(t, []string{"a", "b"}, road.woken())
		road.Finish(rule("a"), before) // of the reconcile that was under way when the slot became free
		assert.Equal(t, []string{"n"}, road.Reserved(rule("a")))
		road.Finish(rule("a"), road.Reserved(rule("a")))
		assert.Empty(t, road.Reserved(rule("a")))
	})
}

func TestLaneOfAKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := lane.New[string](limits, lane.ByKind, func(watch.RuleKey) {})
		hanging := lanes.Open(rule("a"), func() {})
		for i := range limits.PerLane {
			target := in("n", strconv.Itoa(i))
			target.Resource.Resource = "widgets"
			hanging.Go(t.Context(), target, taking(time.Hour, ""), func(string) {})
		}
		synctest.Wait()
		got := &results{}
		other := lanes.Open(rule("b"), func() {})
		other.Go(t.Context(), in("n", "x"), taking(0, "of another kind"), got.add)
		other.Wait(t.Context())
		sent := in("n", "x")
		sent.Resource.Resource, sent.Sender = "widgets", "tenant"
		another := lanes.Open(rule("c"), func() {})
		another.Go(t.Context(), sent, taking(0, "of another sender"), got.add)
		another.Wait(t.Context())
		assert.Equal(t, []string{"of another kind", "of another sender"}, got.come())
		<-time.After(2 * time.Hour)
	})
}
