package watch_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

// door is a watch that is open or closed.
type door struct {
	kind   schema.GroupVersionResource
	closed atomic.Int32
	// closing, if set, is waited for by Close.
	closing chan struct{}
}

func (d *door) Close() {
	if d.closing != nil {
		<-d.closing
	}
	d.closed.Add(1)
}

func (d *door) open() bool { return d.closed.Load() == 0 }

// doors are all that a pool has opened.
type doors struct {
	mu     sync.Mutex
	opened []*door
	adapt  func(*door)
}

func (d *doors) pool() *watch.Pool[watch.RuleKey, *door] {
	return watch.NewPool[watch.RuleKey](func(kind schema.GroupVersionResource) *door {
		d.mu.Lock()
		defer d.mu.Unlock()
		opened := &door{kind: kind}
		if d.adapt != nil {
			d.adapt(opened)
		}
		d.opened = append(d.opened, opened)
		return opened
	})
}

func rule(name string) watch.RuleKey {
	return watch.RuleKey{Kind: "Projection", NamespacedName: types.NamespacedName{Namespace: "here", Name: name}}
}

func kind(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: resource}
}

func TestRulesShareTheWatchOfAKind(t *testing.T) {
	var opened doors
	pool := opened.pool()
	first := pool.Hold(rule("a"), kind("one"))
	second := pool.Hold(rule("b"), kind("one"))
	assert.Same(t, first[0], second[0])
	assert.Len(t, opened.opened, 1)
	assert.Equal(t, 1, pool.Len())

	pool.Release(rule("a"))
	assert.True(t, first[0].open(), "somebody holds it still")
	pool.Release(rule("b"))
	assert.False(t, first[0].open())
	assert.Zero(t, pool.Len())
}

func TestRulesOfTheTwoKindsAreDifferent(t *testing.T) {
	var opened doors
	pool := opened.pool()
	namesake := rule("a")
	namesake.Kind = "ClusterProjection"
	held := pool.Hold(rule("a"), kind("one"))
	pool.Hold(namesake, kind("one"))
	pool.Release(namesake)
	assert.True(t, held[0].open())
}

func TestWatchesComeInTheOrderOfTheKinds(t *testing.T) {
	var opened doors
	pool := opened.pool()
	kinds := []schema.GroupVersionResource{kind("two"), kind("one"), kind("three"), kind("one")}
	held := pool.Hold(rule("a"), kinds...)
	require.Len(t, held, len(kinds))
	for i := range kinds {
		assert.Equal(t, kinds[i], held[i].kind)
	}
	assert.Same(t, held[1], held[3])
	pool.Release(rule("a"))
	for _, opened := range held {
		assert.EqualValues(t, 1, opened.closed.Load(), "closed once")
	}
}

func TestHoldReplacesWhatWasHeld(t *testing.T) {
	var opened doors
	pool := opened.pool()
	before := pool.Hold(rule("a"), kind("one"), kind("two"))
	after := pool.Hold(rule("a"), kind("two"), kind("three"))
	assert.False(t, before[0].open(), "no longer held")
	assert.Same(t, before[1], after[0], "held on without a gap")
	assert.True(t, after[0].open())
	assert.True(t, after[1].open())
	assert.Len(t, opened.opened, 3)
}

func TestHoldAgainChangesNothing(t *testing.T) {
	var opened doors
	pool := opened.pool()
	before := pool.Hold(rule("a"), kind("one"))
	after := pool.Hold(rule("a"), kind("one"))
	assert.Same(t, before[0], after[0])
	assert.True(t, after[0].open())
	assert.Len(t, opened.opened, 1)
}

func TestKindThatComesBackGetsANewWatch(t *testing.T) {
	var opened doors
	pool := opened.pool()
	before := pool.Hold(rule("a"), kind("one"))
	pool.Release(rule("a"))
	assert.Zero(t, pool.Len())

	after := pool.Hold(rule("a"), kind("one"))
	assert.NotSame(t, before[0], after[0])
	assert.True(t, after[0].open())
}

func TestReleaseOfWhoHoldsNothing(t *testing.T) {
	var opened doors
	pool := opened.pool()
	pool.Hold(rule("a"), kind("one"))
	pool.Release(rule("b"))
	pool.Release(rule("b"))
	assert.Equal(t, 1, pool.Len())
}

func TestClosingHoldsNobodyUp(t *testing.T) {
	done := make(chan struct{})
	opened := doors{adapt: func(d *door) { d.closing = done }}
	pool := opened.pool()
	before := pool.Hold(rule("a"), kind("one"))
	released := make(chan struct{})
	go func() {
		defer close(released)
		pool.Release(rule("a"))
	}()
	require.Eventually(t, func() bool { return pool.Len() == 0 }, soon, tick)

	after := pool.Hold(rule("b"), kind("one"))
	assert.NotSame(t, before[0], after[0])
	assert.True(t, after[0].open())
	close(done)
	<-released
	assert.False(t, before[0].open())
	assert.True(t, after[0].open())
}

func TestManyRulesAtOnce(t *testing.T) {
	var opened doors
	pool := opened.pool()
	kinds := []schema.GroupVersionResource{kind("one"), kind("two"), kind("three")}
	var rules sync.WaitGroup
	for i := range 32 {
		rules.Go(func() {
			me := rule(strconv.Itoa(i))
			for round := range 200 {
				wanted := kinds[(i+round)%3:]
				for _, held := range pool.Hold(me, wanted...) {
					assert.True(t, held.open(), "what is held is open")
				}
				if round%5 == 0 {
					pool.Release(me)
				}
			}
			pool.Release(me)
		})
	}
	rules.Wait()
	assert.Zero(t, pool.Len())
	for _, opened := range opened.opened {
		assert.EqualValues(t, 1, opened.closed.Load(), "closed once")
	}
}
