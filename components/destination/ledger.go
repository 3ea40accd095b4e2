package destination

import (
	"cmp"
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

	mu     sync.RWMutex
	begun  bool
	copies map[types.NamespacedName]*entry
	owned  map[types.NamespacedName]map[types.NamespacedName]struct{} // copies by Owner
}

// entry is a copy, or the place of one that is wanted.
type entry struct {
	State
	// want is the content that the rule wantedBy wants here; empty if no rule does.
	want     string
	wantedBy types.NamespacedName
	// fields is what our field manager owned after our last write.
	fields Fields
	// busy tells that a write of ours is under way, whose events are no news.
	busy bool
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
		tier:   tier,
		wake:   wake,
		clock:  time.Now,
		copies: map[types.NamespacedName]*entry{},
		owned:  map[types.NamespacedName]map[types.NamespacedName]struct{}{},
	}
}

// Owned returns the copies that name the rule as their owner, by namespace and name.
func (l *Ledger) Owned(rule types.NamespacedName) []Copy {
	l.mu.RLock()
	defer l.mu.RUnlock()
	copies := make([]Copy, 0, len(l.owned[rule]))
	for at := range l.owned[rule] {
		copies = append(copies, Copy{at, l.copies[at].State})
	}
	slices.SortFunc(copies, func(a, b Copy) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return copies
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

// Want notes what the rule wants at a place, and tells whether it is there already. The fields are those that the rule
// is known to own of its copies; they are needed until this process has written the copy itself.
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
	entry.want, entry.wantedBy = hash, rule
	return entry.fields != 0 && entry.inStep()
}

// Begin announces a write by the rule. It returns the State to write on: that of the rule's copy, or none if there is no
// copy that is known to be the rule's own. The place of another rule's copy is left as it is.
func (l *Ledger) Begin(at, rule types.NamespacedName, hash string) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.copies[at]
	if !known {
		e = &entry{}
		l.copies[at] = e
	}
	if e.Exists() && e.Owner != rule {
		return State{}
	}
	e.want, e.wantedBy, e.busy = hash, rule, true
	if e.Terminating {
		return State{}
	}
	return e.State
}

// Wrote ends a write that succeeded.
func (l *Ledger) Wrote(at, rule types.NamespacedName, hash string, state State) {
	l.mu.Lock()
	e, known := l.copies[at]
	if !known {
		e = &entry{}
		l.copies[at] = e
	}
	e.want, e.wantedBy, e.fields, e.busy = hash, rule, state.Fields, false
	if isNewer(state.ResourceVersion, e.ResourceVersion) {
		l.set(at, e, state)
	}
	overtaken := !e.inStep()
	l.mu.Unlock()
	if overtaken {
		l.wakeAll(rule)
	}
}

// Abandon ends a write or a deletion by the rule that failed. What is there and not the rule's own is no longer waited
// for here.
func (l *Ledger) Abandon(at, rule types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known := l.copies[at]
	if !known || e.wantedBy != rule {
		return
	}
	e.busy = false
	if e.Owner != rule {
		e.want = ""
	}
	if !e.Exists() {
		delete(l.copies, at)
	}
}

// Leave announces a deletion: the copy is no longer wanted, and its end is no news.
func (l *Ledger) Leave(at types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry, known := l.copies[at]; known {
		entry.want, entry.wantedBy, entry.busy = "", entry.Owner, true
	}
}

// Gone notes that the API server knows of no such object, or that it is not ours.
func (l *Ledger) Gone(at types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry, known := l.copies[at]; known {
		l.set(at, entry, State{})
		delete(l.copies, at)
	}
}

// set changes the State and the index by owner. A place that holds nothing and is not wanted is forgotten.
func (l *Ledger) set(at types.NamespacedName, e *entry, state State) {
	if before := e.Owner; before != state.Owner {
		delete(l.owned[before], at)
		if len(l.owned[before]) == 0 {
			delete(l.owned, before)
		}
	}
	if none := (types.NamespacedName{}); state.Owner != none {
		if l.owned[state.Owner] == nil {
			l.owned[state.Owner] = map[types.NamespacedName]struct{}{}
		}
		l.owned[state.Owner][at] = struct{}{}
	}
	e.State = state
	if !state.Exists() && e.want == "" {
		delete(l.copies, at)
	}
}

func (l *Ledger) wakeAll(rules ...types.NamespacedName) {
	now := l.clock()
	for _, rule := range rules {
		l.wake(watch.Rule{Kind: l.tier.Kind, NamespacedName: rule}, watch.CopyChanged, now)
	}
}
