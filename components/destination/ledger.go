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

// Ledger holds the State of every copy of one kind that one tier has made, as the API server told it last: in its
// answers to our writes and in the events of a label-selected, metadata-only watch. Whichever is newer counts.
//
// It wakes a rule when a copy gets out of step by somebody else's doing, and not by the rule's own writes.
type Ledger struct {
	*watch.Stream
	tier  owner.Tier
	wake  watch.Wake
	clock func() time.Time

	mu      sync.RWMutex
	begun   bool
	heard   string // newest resourceVersion of the last list and the watch since
	copies  map[types.NamespacedName]*entry
	repairs *repairs
	owned   places // copies by Owner, but for those that are not proven
	// foreign are objects by the rule that they name as their owner, if they are not proven to be copies of it.
	foreign places
	absent  places // places that hold nothing, by the rule that wants a copy there
}

// entry is a copy, or the place of one that is wanted.
type entry struct {
	State
	// want is the content that the rule wantedBy wants here; empty if no rule does.
	want     string
	wantedBy types.NamespacedName
	// fields is what our field manager owned after our last write.
	fields Fields
	// told reports whether the rule has been told that this object is a foreign one.
	told bool
	// busy reports whether a write or a deletion by wantedBy is under way, whose events wake nobody.
	busy bool
	// written reports whether want was here once, so that another write of it is a repair.
	written bool
}

// share lets what the copy bears and what is wanted be the same strings in memory, as they mostly are equal.
func (e *entry) share() {
	if e.Hash == e.want {
		e.Hash = e.want
	}
	if e.Owner == e.wantedBy {
		e.Owner = e.wantedBy
	}
}

func (e *entry) inStep() bool {
	return e.Exists() && !e.Terminating && e.Owner == e.wantedBy && e.Hash == e.want && e.Fields == e.fields
}

// Copy is an object with the State that is known of it.
type Copy struct {
	types.NamespacedName
	State
}

func newLedger(tier owner.Tier, wake watch.Wake) *Ledger {
	return &Ledger{
		tier:    tier,
		wake:    wake,
		clock:   time.Now,
		repairs: newRepairs(time.Now),
		copies:  map[types.NamespacedName]*entry{},
		owned:   places{},
		foreign: places{},
		absent:  places{},
	}
}

// Owned returns the copies of the rule, by namespace and name. Foreign objects that name it as their owner are none.
func (l *Ledger) Owned(rule types.NamespacedName) []Copy { return l.Unplanned(rule, nil) }

// Unplanned returns those of the copies of the rule which are not at a planned place, by namespace and name.
func (l *Ledger) Unplanned(rule types.NamespacedName, planned map[types.NamespacedName]bool) []Copy {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var copies []Copy
	for at := range l.owned[rule] {
		if !planned[at] {
			copies = append(copies, Copy{at, l.copies[at].State})
		}
	}
	return sorted(copies)
}

// Absent returns the places where the rule wanted a copy and no object of the watch is known: the copy was deleted, or
// has lost its label.
func (l *Ledger) Absent(rule types.NamespacedName) []types.NamespacedName {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Collect(maps.Keys(l.absent[rule]))
}

// HandedOver returns the objects that name no owner, but bear the rule's uid: somebody took the annotation off.
func (l *Ledger) HandedOver(rule types.UID) []Copy {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var copies []Copy
	for at, entry := range l.copies {
		if entry.LabelUID == rule {
			copies = append(copies, Copy{at, entry.State})
		}
	}
	return copies
}

// Want notes what the rule wants at a place, and reports whether it is there already and the repairs of the copy do not back
// off. The fields are those that the rule is known to own of its copies; they are needed until this process has written the
// copy itself.
func (l *Ledger) Want(at, rule types.NamespacedName, hash string, fields Fields) (inStep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry, known := l.copies[at]
	if !known || entry.Owner != rule {
		return false
	}
	if entry.wantedBy != rule || entry.fields == 0 {
		entry.fields = fields
	}
	entry.wants(hash, rule)
	entry.busy = false // a deletion by an earlier pass is over
	entry.share()
	inStep = entry.fields != 0 && entry.inStep()
	entry.written = entry.written || inStep
	_, backingOff := l.repairs.backingOff(at)
	return inStep && !backingOff
}

// Applied returns what our field manager owns of the copy at a place that is in step; unknown if none is wanted there.
func (l *Ledger) Applied(at types.NamespacedName) Fields {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if entry, known := l.copies[at]; known {
		return entry.fields
	}
	return 0
}

// Begin announces a write by the rule. It returns the State to write on: that of the rule's copy, or none if there is no
// copy that is known to be the rule's own. The place of another rule's copy is left as it is.
func (l *Ledger) Begin(at, rule types.NamespacedName, hash string) (known State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.update(at, func(e *entry) {
		if e.Exists() && e.Owner != rule {
			return
		}
		e.wants(hash, rule)
		e.busy = true
		if !e.Terminating {
			known = e.State
		}
	})
	return known
}

// Wrote ends a write that succeeded. If somebody has written since, it is looked at again. Another rule whose copy has given
// way to this one learns of it here: the event of its end may come too late to be news.
func (l *Ledger) Wrote(at, rule types.NamespacedName, hash string, state State) {
	l.mu.Lock()
	var woken []types.NamespacedName
	l.update(at, func(e *entry) {
		if watch.IsNewer(state.ResourceVersion, e.ResourceVersion) {
			e.State = state
		}
		if e.wantedBy != rule && e.Owner == rule && e.want != "" {
			woken = append(woken, e.wantedBy)
		}
		if e.wantedBy == rule || e.Owner == rule {
			e.want, e.wantedBy, e.fields, e.busy, e.written = hash, rule, state.Fields, false, true
		}
		if e.ResourceVersion != state.ResourceVersion && (e.wantedBy != rule || !e.inStep()) {
			woken = append(woken, rule)
		}
	})
	l.mu.Unlock()
	l.wakeAll(woken...)
}

// Abandon ends a write or a deletion by the rule that failed. What is there and not the rule's own is no longer waited
// for here.
func (l *Ledger) Abandon(at, rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.update(at, func(e *entry) { e.abandon(rule) })
}

func (e *entry) abandon(rule types.NamespacedName) {
	if e.wantedBy != rule {
		return
	}
	e.busy = false
	if e.Owner != rule {
		e.want = ""
	}
}

// Leave announces a deletion by the rule: its copy is no longer wanted, and its end is no news. What has become another
// rule's is left as it is.
func (l *Ledger) Leave(at, rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.update(at, func(e *entry) {
		if e.Owner == rule || e.wantedBy == rule && !e.Exists() {
			e.want, e.wantedBy, e.busy = "", rule, true
		}
	})
}

// Deleted notes that the API server has accepted the deletion of that object. Whoever wants a copy there before the watch
// tells of its end has to write a new one.
func (l *Ledger) Deleted(at types.NamespacedName, object types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.update(at, func(e *entry) { e.Terminating = e.Terminating || e.Exists() && e.UID == object })
}

// Gone ends a deletion by the rule of an object that the API server does not know any more.
func (l *Ledger) Gone(at, rule types.NamespacedName, object types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.update(at, func(e *entry) {
		e.abandon(rule)
		if e.Owner == rule && e.UID == object {
			*e = entry{}
		}
	})
}

// Forget ends what the rule wants: it is gone, or no longer ours to look after.
func (l *Ledger) Forget(rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range l.placesOf(rule) {
		l.update(at, func(e *entry) {
			if e.wantedBy == rule {
				e.want, e.busy = "", false
			}
		})
	}
}

// update changes what is known of a place, and keeps the indexes. A place that holds nothing and is not wanted is
// forgotten.
func (l *Ledger) update(at types.NamespacedName, change func(*entry)) {
	e, known := l.copies[at]
	if !known {
		e = &entry{}
		l.copies[at] = e
	}
	uid := e.UID
	l.owned.remove(e.Owner, at)
	l.foreign.remove(e.named(), at)
	l.absent.remove(e.wantedBy, at)
	change(e)
	e.share()
	if e.want == "" {
		l.repairs.forget(at)
	}
	e.told = e.told && e.UID == uid
	switch none := (types.NamespacedName{}); {
	case e.Exists() && e.Owner != none && e.Proven:
		l.owned.add(e.Owner, at)
	case e.Exists() && e.named() != none:
		l.foreign.add(e.named(), at)
	case e.Exists():
	case e.want != "":
		l.absent.add(e.wantedBy, at)
	default:
		delete(l.copies, at)
	}
}

func (l *Ledger) wakeAll(rules ...types.NamespacedName) {
	now := l.clock()
	for _, rule := range rules {
		l.wake(watch.Rule{Kind: l.tier.Kind, NamespacedName: rule}, watch.CopyChanged, now)
	}
}
