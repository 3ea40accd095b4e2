package destination

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// CopyCache holds the State of every copy of one kind that the rules of one kind have made, as the API server told it last: in its
// answers to our requests, and in the events of a label-selected, metadata-only watch. Whichever is newer counts.
//
// It enqueues a rule when a copy gets out of sync by somebody else's doing, and not by the rule's own requests. It is safe for
// concurrent use; what it knows and decides is in its copyIndex.
type CopyCache struct {
	kind    owner.RuleKind
	enqueue watch.EnqueueFunc

	mu    sync.RWMutex
	index *copyIndex
}

func newCopyCache(kind owner.RuleKind, enqueue watch.EnqueueFunc) *CopyCache {
	return &CopyCache{kind: kind, enqueue: enqueue, index: newCopyIndex(time.Now)}
}

// ByOwner returns the copies of the rule, by namespace and name. Foreign objects that name it as their owner are none.
func (c *CopyCache) ByOwner(rule types.NamespacedName) []Copy { return c.Unplanned(rule, nil) }

// HasCopies reports whether the rule has a copy that ByOwner would return.
func (c *CopyCache) HasCopies(rule types.NamespacedName) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.index.byOwner[rule]) > 0
}

// Unplanned returns those of the copies of the rule which are not at a planned place, by namespace and name.
func (c *CopyCache) Unplanned(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.unplanned(rule, planned)
}

// Select returns those of the copies of the rule of which the function holds, by namespace and name. The function must neither block
// nor change the state.
func (c *CopyCache) Select(rule types.NamespacedName, holds func(at types.NamespacedName, copied *State) bool) []Copy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.selected(rule, holds)
}

// UnreportedForeign returns the foreign objects that name the rule as their owner, are not at a planned place, and have not been
// returned before, by namespace and name.
func (c *CopyCache) UnreportedForeign(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index.unreportedForeign(rule, planned)
}

// Missing returns the places where the rule wants a copy and no object of the watch is known: the copy was deleted, or has lost its
// label.
func (c *CopyCache) Missing(rule types.NamespacedName) []types.NamespacedName {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Keys(c.index.missing[rule]))
}

// Remember notes that the rule has a copy at a place, though it may not want one there. While no object of the watch is known at the place,
// Missing returns it.
func (c *CopyCache) Remember(at, rule types.NamespacedName) {
	c.change(func(x *copyIndex) []types.NamespacedName {
		x.remember(at, rule)
		return nil
	})
}

// countByOwner returns how many objects name a rule as their owner, by that rule.
func (c *CopyCache) countByOwner() map[types.NamespacedName]int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.countByOwner()
}

// ConfirmMissing notes that the API server was asked about a place in Missing, and that nobody waits for a copy there any more.
func (c *CopyCache) ConfirmMissing(at, rule types.NamespacedName) {
	c.change(func(x *copyIndex) []types.NamespacedName {
		x.abort(at, rule)
		return nil
	})
}

// SetDesired notes what the rule wants at a place, and reports whether the copy is in sync and its repairs do not back off. The
// sets are those of the fields that the rule is known to own of its copies; they count until this process has written the copy
// itself.
func (c *CopyCache) SetDesired(at, rule types.NamespacedName, content string, known ...Fields) (inSync bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index.setDesired(at, rule, content, known...)
}

// IsInSync reports whether the copy is what SetDesired has noted, even if its repairs back off.
func (c *CopyCache) IsInSync(at, rule types.NamespacedName, content string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.isInSync(at, rule, content)
}

func (c *CopyCache) setSuspended(rule types.NamespacedName, suspended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.setSuspended(rule, suspended)
}

// AwaitTurn reports whether the copy has other content than that and is as the rule has written it last, so that it may wait until its turn to
// be changed. Until then, it is to stay as it is. The sets are those of SetDesired.
func (c *CopyCache) AwaitTurn(at, rule types.NamespacedName, content string, known ...Fields) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index.awaitTurn(at, rule, content, known)
}

// Follow has the rule enqueued once, when one of these copies is changed next. The copies are given with the resourceVersion that the rule has
// seen. It reports whether one has changed already. No copies end that.
func (c *CopyCache) Follow(rule types.NamespacedName, copies map[types.NamespacedName]string) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index.follow(rule, copies)
}

// IsNewer reports whether a newer version of the copy is known than that.
func (c *CopyCache) IsNewer(at types.NamespacedName, seen string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.isNewer(at, seen)
}

// Applied returns what our field manager owns of the copy at a place that is in sync; unknown if no copy is wanted there.
func (c *CopyCache) Applied(at types.NamespacedName) Fields {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.appliedFields(at)
}

// Known returns what is known of the object at a place, without its resourceVersion: it changes when the copy or its ownership does, and
// not when only a status does.
func (c *CopyCache) Known(at types.NamespacedName) State {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.known(at)
}

// ExpectDeletion notes that the copy is deleted by somebody else and that the rule wants none there: its end does not enqueue the
// rule.
// Example: a user deletes a namespace; the rule is reconciled and plans no copy there; the namespace controller deletes the copy.
func (c *CopyCache) ExpectDeletion(at, rule types.NamespacedName) {
	c.change(func(x *copyIndex) []types.NamespacedName {
		x.beginDelete(at, rule)
		return nil
	})
}

// Forget ends what the rule wants: it is gone, or no longer ours to look after.
func (c *CopyCache) Forget(rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.forget(rule)
}

// heldRepair returns the backoff of the copy, and reports whether nothing is to be written for now.
func (c *CopyCache) heldRepair(at, rule types.NamespacedName, content string) (backoff, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index.heldRepair(at, rule, content)
}

// change changes the index, and enqueues the rules that the function returns when the cache is unlocked again.
func (c *CopyCache) change(do func(*copyIndex) (enqueue []types.NamespacedName)) {
	rules := func() []types.NamespacedName {
		c.mu.Lock()
		defer c.mu.Unlock()
		return do(c.index)
	}()
	now := time.Now()
	for _, rule := range rules {
		c.enqueue(watch.RuleKey{Kind: c.kind.String(), NamespacedName: rule}, watch.CopyChanged, now)
	}
}
