package destination

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/watch"
)

var _ cache.ReflectorStore = (*Ledger)(nil)

// Add takes an event of the watch.
func (l *Ledger) Add(object any) error { return l.event(object, true) }

// Update takes an event of the watch.
func (l *Ledger) Update(object any) error { return l.event(object, true) }

// Delete takes an event of the watch: the object is gone, or no longer bears the label.
func (l *Ledger) Delete(object any) error { return l.event(object, false) }

// Resync has nothing to do.
func (l *Ledger) Resync() error { return nil }

func (l *Ledger) event(object any, exists bool) error {
	metadata, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("the watch on copies sent a %T", object)
	}
	at := types.NamespacedName{Namespace: metadata.GetNamespace(), Name: metadata.GetName()}
	state := State{ResourceVersion: metadata.GetResourceVersion()}
	if exists {
		state = stateOf(l.tier, metadata)
	}
	l.wakeAll(l.note(at, state, metadata)...)
	return nil
}

// note takes an event, and returns the rules that it concerns.
func (l *Ledger) note(at types.NamespacedName, state State, object metav1.Object) []types.NamespacedName {
	l.mu.Lock()
	defer l.mu.Unlock()
	if watch.IsNewer(state.ResourceVersion, l.heard) {
		l.heard = state.ResourceVersion
	}
	return l.observe(at, state, object)
}

// Replace takes a list of all copies: the first, or one after the watch had to start over. The first wakes nobody, since
// every rule has its pass when the operator starts.
func (l *Ledger) Replace(objects []any, resourceVersion string) error {
	woken, err := l.replace(objects, resourceVersion)
	l.wakeAll(woken...)
	return err
}

func (l *Ledger) replace(objects []any, resourceVersion string) (woken []types.NamespacedName, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.startOver(resourceVersion)
	listed := make(map[types.NamespacedName]struct{}, len(objects))
	for _, object := range objects {
		metadata, ok := object.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("the list of copies holds a %T", object)
		}
		at := types.NamespacedName{Namespace: metadata.GetNamespace(), Name: metadata.GetName()}
		listed[at] = struct{}{}
		woken = append(woken, l.observe(at, stateOf(l.tier, metadata), metadata)...)
	}
	for at, entry := range l.copies {
		if _, found := listed[at]; !found && entry.Exists() {
			woken = append(woken, l.observe(at, State{ResourceVersion: resourceVersion}, nil)...)
		}
	}
	first := !l.begun
	l.begun = true
	if first {
		return nil, nil
	}
	return woken, nil
}

// startOver forgets how new everything is if the list is older than what the watch has told: the API server's storage was
// restored from a backup, and what it says now counts.
func (l *Ledger) startOver(resourceVersion string) {
	if l.heard != "" && watch.IsNewer(l.heard, resourceVersion) {
		for _, entry := range l.copies {
			entry.ResourceVersion = ""
		}
	}
	l.heard = resourceVersion
}

// observe takes what the API server says of a place, if it is news, and returns the rules that it concerns: the one that
// wants something else there, and the one that an object has come to name as its owner. The object is what the State was
// taken from.
func (l *Ledger) observe(at types.NamespacedName, state State, object metav1.Object) (woken []types.NamespacedName) {
	if _, known := l.copies[at]; !known && !state.Exists() {
		return nil
	}
	l.update(at, func(e *entry) {
		if !watch.IsNewer(state.ResourceVersion, e.ResourceVersion) {
			return
		}
		before := e.State
		e.State = state
		if known := l.noteDrift(at, e, before, object); !known && !e.busy && e.want != "" && !e.inStep() {
			woken = append(woken, e.wantedBy)
		}
		awaited := e.want != "" && e.Owner == e.wantedBy
		if e.named() != (types.NamespacedName{}) && !e.namedAlike(before) && !awaited {
			woken = append(woken, e.named())
		}
	})
	return woken
}
