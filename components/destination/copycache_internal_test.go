package destination

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// newCache returns a cache without a watch, and a function that returns which rules it has enqueued.
func newCache() (*CopyCache, func() []watch.RuleKey) {
	var mu sync.Mutex
	var queued []watch.RuleKey
	var cache *CopyCache
	cache = newCopyCache(owner.Projection, func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) {
		_ = cache.ByOwner(rule.NamespacedName) // the cache is not locked
		mu.Lock()
		defer mu.Unlock()
		if trigger == watch.CopyChanged {
			queued = append(queued, rule)
		}
	})
	return cache, func() []watch.RuleKey {
		mu.Lock()
		defer mu.Unlock()
		return queued
	}
}

// answered is the write of a copy that the API server returns as that.
func answered(object *metav1.PartialObjectMetadata) writeFunc {
	return func(known State) (State, State, error) { return known, stateOf(owner.Projection, object), nil }
}

func TestCacheEnqueuesTheRuleOfItsKind(t *testing.T) {
	c, queued := newCache()
	_, err := c.write(at, mine, wanted, answered(copied("10")))
	require.NoError(t, err)
	require.NoError(t, watch.Store(copyHandler{c}).Add(copied("10")))
	assert.Empty(t, queued())
	require.NoError(t, watch.Store(copyHandler{c}).Update(copied("11", drifted)))
	assert.Equal(t, []watch.RuleKey{{Kind: owner.Projection.Name, NamespacedName: mine}}, queued())
}

func TestHandlerTakesObjectsOnly(t *testing.T) {
	c, _ := newCache()
	h := watch.Store(copyHandler{c})
	require.ErrorContains(t, h.Add("text"), "string")
	require.ErrorContains(t, h.Replace([]any{"text"}, "1"), "string")
	require.NoError(t, h.Resync())
	require.NoError(t, h.Replace([]any{copied("10")}, "10"))
	assert.Len(t, c.ByOwner(mine), 1)
	require.NoError(t, h.Delete(copied("11")))
	assert.Empty(t, c.ByOwner(mine))
}

// Whatever a request does, it has ended when the function has returned: an event of the place enqueues the rule again.
func TestEveryRequestEnds(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{}, "settings", nil)
	write := func(end func() error) func(*CopyCache) error {
		return func(c *CopyCache) error {
			_, err := c.write(at, mine, wanted, func(known State) (State, State, error) {
				err := end()
				return known, stateOf(owner.Projection, copied("10")), err
			})
			return err
		}
	}
	remove := func(end func() error) func(*CopyCache) error {
		return func(c *CopyCache) error {
			_, err := c.end(at, mine, func() (State, endResult, error) { return State{UID: "uid-of-copy"}, released, end() })
			return err
		}
	}
	ends := map[string]struct {
		do   func() error
		want error
	}{
		"success":   {func() error { return nil }, nil},
		"a failure": {func() error { return assert.AnError }, assert.AnError},
		"conflict":  {func() error { return conflict }, conflict},
		"a panic":   {func() error { panic("a bug") }, nil},
	}
	for name, end := range ends {
		for request, do := range map[string]func(*CopyCache) error{"write": write(end.do), "deletion": remove(end.do)} {
			t.Run(name+" of a "+request, func(t *testing.T) {
				c, _ := newCache()
				_, err := c.write(at, mine, wanted, answered(copied("10")))
				require.NoError(t, err)
				if name == "a panic" {
					require.Panics(t, func() { _ = do(c) })
				} else {
					require.ErrorIs(t, do(c), end.want)
				}
				assert.False(t, c.index.entries[at].inProgress)
			})
		}
	}
}

func TestRepairIsCountedByItsWrite(t *testing.T) {
	c, _ := newCache()
	end, err := c.write(at, mine, wanted, answered(copied("10")))
	require.NoError(t, err)
	assert.False(t, end.repair)
	end, err = c.write(at, mine, wanted, answered(copied("10")))
	require.NoError(t, err)
	assert.False(t, end.repair, "it changed nothing")
	require.NoError(t, watch.Store(copyHandler{c}).Update(copied("11", drifted)))
	end, err = c.write(at, mine, wanted, answered(copied("12")))
	require.NoError(t, err)
	assert.True(t, end.repair)
	assert.False(t, end.backingOff)
}

func TestCacheServesManyAtOnce(t *testing.T) {
	c, queued := newCache()
	var rules sync.WaitGroup
	for i := range 16 {
		rule := types.NamespacedName{Namespace: "here", Name: strconv.Itoa(i)}
		place := types.NamespacedName{Namespace: "here", Name: "copy-" + rule.Name}
		object := func(version int) *metav1.PartialObjectMetadata {
			return copied(strconv.Itoa(version), ownedBy(rule), func(o *metav1.PartialObjectMetadata) { o.Name = place.Name })
		}
		rules.Go(func() {
			for version := 10; version < 200; version++ {
				_, err := c.write(place, rule, wanted, func(known State) (State, State, error) {
					return known, stateOf(owner.Projection, object(version)), watch.Store(copyHandler{c}).Update(object(version))
				})
				assert.Nil(t, err) //nolint:testifylint // require may not end another goroutine
				assert.True(t, c.SetDesired(place, rule, wanted, 0))
				assert.Len(t, c.ByOwner(rule), 1)
			}
			result, err := c.end(place, rule, func() (State, endResult, error) {
				return State{UID: "uid-of-copy"}, deleted, watch.Store(copyHandler{c}).Delete(object(200))
			})
			assert.Nil(t, err) //nolint:testifylint // require may not end another goroutine
			assert.Equal(t, deleted, result)
			assert.Empty(t, c.ByOwner(rule))
		})
	}
	rules.Wait()
	assert.Empty(t, queued())
	assert.Empty(t, c.index.entries)
}
