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

// CopyCache holds the State of every copy of one kind that one tier has made, as the API server told it last: in its
// answers to our writes and in the events of a label-selected, metadata-only watch. Whichever is newer counts.
//
// It wakes a rule when a copy gets out of step by somebody else's doing, and not by the rule's own writes.
type CopyCache struct {
	*watch.Stream
	kind    owner.RuleKind
	enqueue watch.EnqueueFunc
	clock   func() time.Time

	mu          sync.RWMutex
	listed      bool
	lastVersion string // newest resourceVersion of the last list and the watch since
	copies      map[types.NamespacedName]*entry
	repairs     *repairs
	byOwner     placeIndex // copies by Owner, but for those that are not proven
	// foreign are objects by the rule that they name as their owner, if they are not proven to be copies of it.
	foreign placeIndex
	missing placeIndex // places that hold nothing, by the rule that wants a copy there
}

// entry is a copy, or the place of one that is wanted.
type entry struct {
	State
	// desired is the content that the rule wantedBy wants here; empty if no rule does.
	desired   string
	desiredBy types.NamespacedName
	// fields is what our field manager owned after our last write.
	fields Fields
	// reported reports whether the rule has been told that this object is a foreign one.
	reported bool
	// inProgress reports whether a write or a deletion by wantedBy is under way, whose events wake nobody.
	inProgress bool
	// written reports whether want was here once, so that another write of it is a repair.
	written bool
}

// intern lets what the copy bears and what is wanted be the same strings in memory, as they mostly are equal.
func (e *entry) intern() {
	if e.Hash == e.desired {
		e.Hash = e.desired
	}
	if e.Owner == e.desiredBy {
		e.Owner = e.desiredBy
	}
}

func (e *entry) inSync() bool {
	return e.Exists() && !e.Terminating && e.Owner == e.desiredBy && e.Hash == e.desired && e.Fields == e.fields
}

// Copy is an object with the State that is known of it.
type Copy struct {
	types.NamespacedName
	State
}

func newCopyCache(tier owner.RuleKind, wake watch.EnqueueFunc) *CopyCache {
	return &CopyCache{
		kind:    tier,
		enqueue: wake,
		clock:   time.Now,
		repairs: newRepairs(time.Now),
		copies:  map[types.NamespacedName]*entry{},
		byOwner: placeIndex{},
		foreign: placeIndex{},
		missing: placeIndex{},
	}
}

// ByOwner returns the copies of the rule, by namespace and name. Foreign objects that name it as their owner are none.
func (c *CopyCache) ByOwner(rule types.NamespacedName) []Copy { return c.Unplanned(rule, nil) }

// Unplanned returns those of the copies of the rule which are not at a planned place, by namespace and name.
func (c *CopyCache) Unplanned(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var copies []Copy
	for at := range c.byOwner[rule] {
		if !planned[at] {
			copies = append(copies, Copy{at, c.copies[at].State})
		}
	}
	return sorted(copies)
}

// Missing returns the places where the rule wanted a copy and no object of the watch is known: the copy was deleted, or
// has lost its label.
func (c *CopyCache) Missing(rule types.NamespacedName) []types.NamespacedName {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Keys(c.missing[rule]))
}

// Released returns the objects that name no owner, but bear the rule's uid: somebody took the annotation off.
func (c *CopyCache) Released(rule types.UID) []Copy {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var copies []Copy
	for at, entry := range c.copies {
		if entry.LabelUID == rule {
			copies = append(copies, Copy{at, entry.State})
		}
	}
	return copies
}

// SetDesired notes what the rule wants at a place, and reports whether it is there already and the repairs of the copy do not back
// off. The fields are those that the rule is known to own of its copies; they are needed until this process has written the
// copy itself.
func (c *CopyCache) SetDesired(at, rule types.NamespacedName, hash string, fields Fields) (inStep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, known := c.copies[at]
	if !known || entry.Owner != rule {
		return false
	}
	if entry.desiredBy != rule || entry.fields == 0 {
		entry.fields = fields
	}
	entry.setDesired(hash, rule)
	entry.inProgress = false // a deletion by an earlier pass is over
	entry.intern()
	inStep = entry.fields != 0 && entry.inSync()
	entry.written = entry.written || inStep
	_, backingOff := c.repairs.backingOff(at)
	return inStep && !backingOff
}

// Applied returns what our field manager owns of the copy at a place that is in step; unknown if none is wanted there.
func (c *CopyCache) Applied(at types.NamespacedName) Fields {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if entry, known := c.copies[at]; known {
		return entry.fields
	}
	return 0
}

// BeginWrite announces a write by the rule. It returns the State to write on: that of the rule's copy, or none if there is no
// copy that is known to be the rule's own. The place of another rule's copy is left as it is.
func (c *CopyCache) BeginWrite(at, rule types.NamespacedName, hash string) (known State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update(at, func(e *entry) {
		if e.Exists() && e.Owner != rule {
			return
		}
		e.setDesired(hash, rule)
		e.inProgress = true
		if !e.Terminating {
			known = e.State
		}
	})
	return known
}

// EndWrite ends a write that succeeded. If somebody has written since, it is looked at again. Another rule whose copy has given
// way to this one learns of it here: the event of its end may come too late to be news.
func (c *CopyCache) EndWrite(at, rule types.NamespacedName, hash string, state State) {
	c.mu.Lock()
	var woken []types.NamespacedName
	c.update(at, func(e *entry) {
		if watch.IsNewer(state.ResourceVersion, e.ResourceVersion) {
			e.State = state
		}
		if e.desiredBy != rule && e.Owner == rule && e.desired != "" {
			woken = append(woken, e.desiredBy)
		}
		if e.desiredBy == rule || e.Owner == rule {
			e.desired, e.desiredBy, e.fields, e.inProgress, e.written = hash, rule, state.Fields, false, true
		}
		if e.ResourceVersion != state.ResourceVersion && (e.desiredBy != rule || !e.inSync()) {
			woken = append(woken, rule)
		}
	})
	c.mu.Unlock()
	c.enqueueAll(woken...)
}

// Abort ends a write or a deletion by the rule that failed. What is there and not the rule's own is no longer waited
// for here.
func (c *CopyCache) Abort(at, rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update(at, func(e *entry) { e.abandon(rule) })
}

func (e *entry) abandon(rule types.NamespacedName) {
	if e.desiredBy != rule {
		return
	}
	e.inProgress = false
	if e.Owner != rule {
		e.desired = ""
	}
}

// BeginDelete announces a deletion by the rule: its copy is no longer wanted, and its end is no news. What has become another
// rule's is left as it is.
func (c *CopyCache) BeginDelete(at, rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update(at, func(e *entry) {
		if e.Owner == rule || e.desiredBy == rule && !e.Exists() {
			e.desired, e.desiredBy, e.inProgress = "", rule, true
		}
	})
}

// Deleted notes that the API server has accepted the deletion of that object. Whoever wants a copy there before the watch
// tells of its end has to write a new one.
func (c *CopyCache) Deleted(at types.NamespacedName, object types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update(at, func(e *entry) { e.Terminating = e.Terminating || e.Exists() && e.UID == object })
}

// NotFound ends a deletion by the rule of an object that the API server does not know any more.
func (c *CopyCache) NotFound(at, rule types.NamespacedName, object types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.update(at, func(e *entry) {
		e.abandon(rule)
		if e.Owner == rule && e.UID == object {
			*e = entry{}
		}
	})
}

// Forget ends what the rule wants: it is gone, or no longer ours to look after.
func (c *CopyCache) Forget(rule types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, at := range c.placesOf(rule) {
		c.update(at, func(e *entry) {
			if e.desiredBy == rule {
				e.desired, e.inProgress = "", false
			}
		})
	}
}

// update changes what is known of a place, and keeps the indexes. A place that holds nothing and is not wanted is
// forgotten.
func (c *CopyCache) update(at types.NamespacedName, change func(*entry)) {
	e, known := c.copies[at]
	if !known {
		e = &entry{}
		c.copies[at] = e
	}
	uid := e.UID
	c.byOwner.remove(e.Owner, at)
	c.foreign.remove(e.namedOwner(), at)
	c.missing.remove(e.desiredBy, at)
	change(e)
	e.intern()
	if e.desired == "" {
		c.repairs.forget(at)
	}
	e.reported = e.reported && e.UID == uid
	switch none := (types.NamespacedName{}); {
	case e.Exists() && e.Owner != none && e.Proven:
		c.byOwner.add(e.Owner, at)
	case e.Exists() && e.namedOwner() != none:
		c.foreign.add(e.namedOwner(), at)
	case e.Exists():
	case e.desired != "":
		c.missing.add(e.desiredBy, at)
	default:
		delete(c.copies, at)
	}
}

func (c *CopyCache) enqueueAll(rules ...types.NamespacedName) {
	now := c.clock()
	for _, rule := range rules {
		c.enqueue(watch.RuleKey{Kind: c.kind.Name, NamespacedName: rule}, watch.CopyChanged, now)
	}
}
