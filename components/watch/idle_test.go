package watch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestLingeringWatchIsTakenUpAgain(t *testing.T) {
	var opened doors
	pool := opened.pool().WithIdleTTL(time.Hour)
	before := pool.Hold(rule("a"), kind("one"))
	pool.Hold(rule("a"))
	assert.True(t, before[0].open(), "nobody holds it, but it is kept")
	assert.Same(t, before[0], pool.Hold(rule("b"), kind("one"))[0])
	assert.Len(t, opened.opened, 1)
}

func TestLingeringWatchIsClosedInTheEnd(t *testing.T) {
	var opened doors
	pool := opened.pool().WithIdleTTL(tick)
	held := pool.Hold(rule("a"), kind("one"), kind("two"))
	pool.Hold(rule("a"), kind("one"))
	require.Eventually(t, func() bool { return !held[1].open() }, soon, tick)
	assert.True(t, held[0].open(), "it is held")
	assert.Equal(t, 1, pool.Len())
}

func TestReleasedWatchDoesNotLinger(t *testing.T) {
	var opened doors
	pool := opened.pool().WithIdleTTL(time.Hour)
	held := pool.Hold(rule("a"), kind("one"))
	pool.Release(rule("a"))
	assert.False(t, held[0].open())
}

func TestLingeringWatchIsOpenButDoesNotFail(t *testing.T) {
	var opened doors
	pool := opened.pool().WithIdleTTL(time.Hour)
	pool.Hold(rule("a"), kind("one"), kind("two"))
	pool.Hold(rule("a"), kind("one"))
	open, failing := pool.Count(func(*door) error { return assert.AnError })
	assert.Equal(t, 2, open)
	assert.Equal(t, 1, failing, "nobody waits for what lingers")

	seen := map[schema.GroupVersionResource]bool{}
	pool.Each(func(kind schema.GroupVersionResource, _ *door) { seen[kind] = true })
	assert.Equal(t, map[schema.GroupVersionResource]bool{kind("one"): true, kind("two"): true}, seen)
}
