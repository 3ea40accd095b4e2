package destination

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/watch"
)

var _ cache.ReflectorStore = (*CopyCache)(nil)

// Add takes an event of the watch.
func (c *CopyCache) Add(object any) error { return c.event(object, true) }

// Update takes an event of the watch.
func (c *CopyCache) Update(object any) error { return c.event(object, true) }

// Delete takes an event of the watch: the object is gone, or no longer bears the label.
func (c *CopyCache) Delete(object any) error { return c.event(object, false) }

// Resync has nothing to do.
func (c *CopyCache) Resync() error { return nil }

func (c *CopyCache) event(object any, exists bool) error {
	metadata, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("the watch on copies sent a %T", object)
	}
	at := types.NamespacedName{Namespace: metadata.GetNamespace(), Name: metadata.GetName()}
	state := State{ResourceVersion: metadata.GetResourceVersion()}
	if exists {
		state = stateOf(c.kind, metadata)
	}
	c.enqueueAll(c.noteEvent(at, state, metadata)...)
	return nil
}

// noteEvent takes an event, and returns the rules that it concerns.
func (c *CopyCache) noteEvent(at types.NamespacedName, state State, object metav1.Object) []types.NamespacedName {
	c.mu.Lock()
	defer c.mu.Unlock()
	if watch.IsNewer(state.ResourceVersion, c.lastVersion) {
		c.lastVersion = state.ResourceVersion
	}
	return c.observe(at, state, object)
}

// Replace takes a list of all copies: the first, or one after the watch had to start over. The first wakes nobody, since
// every rule has its pass when the operator starts.
func (c *CopyCache) Replace(objects []any, resourceVersion string) error {
	woken, err := c.replace(objects, resourceVersion)
	c.enqueueAll(woken...)
	return err
}

func (c *CopyCache) replace(objects []any, resourceVersion string) (woken []types.NamespacedName, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resetIfRestored(resourceVersion)
	listed := make(map[types.NamespacedName]struct{}, len(objects))
	for _, object := range objects {
		metadata, ok := object.(metav1.Object)
		if !ok {
			return nil, fmt.Errorf("the list of copies holds a %T", object)
		}
		at := types.NamespacedName{Namespace: metadata.GetNamespace(), Name: metadata.GetName()}
		listed[at] = struct{}{}
		woken = append(woken, c.observe(at, stateOf(c.kind, metadata), metadata)...)
	}
	for at, entry := range c.copies {
		if _, found := listed[at]; !found && entry.Exists() {
			woken = append(woken, c.observe(at, State{ResourceVersion: resourceVersion}, nil)...)
		}
	}
	first := !c.listed
	c.listed = true
	if first {
		return nil, nil
	}
	return woken, nil
}

// resetIfRestored forgets how new everything is if the list is older than what the watch has told: the API server's storage was
// restored from a backup, and what it says now counts.
func (c *CopyCache) resetIfRestored(resourceVersion string) {
	if c.lastVersion != "" && watch.IsNewer(c.lastVersion, resourceVersion) {
		for _, entry := range c.copies {
			entry.ResourceVersion = ""
		}
	}
	c.lastVersion = resourceVersion
}

// observe takes what the API server says of a place, if it is news, and returns the rules that it concerns: the one that
// wants something else there, and the one that an object has come to name as its owner. The object is what the State was
// taken from.
func (c *CopyCache) observe(at types.NamespacedName, state State, object metav1.Object) (woken []types.NamespacedName) {
	if _, known := c.copies[at]; !known && !state.Exists() {
		return nil
	}
	c.update(at, func(e *entry) {
		if !watch.IsNewer(state.ResourceVersion, e.ResourceVersion) {
			return
		}
		before := e.State
		e.State = state
		if known := c.noteDrift(at, e, before, object); !known && !e.inProgress && e.desired != "" && !e.inSync() {
			woken = append(woken, e.desiredBy)
		}
		awaited := e.desired != "" && e.Owner == e.desiredBy
		if e.namedOwner() != (types.NamespacedName{}) && !e.namesSameOwner(before) && !awaited {
			woken = append(woken, e.namedOwner())
		}
	})
	return woken
}
