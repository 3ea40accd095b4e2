package watch

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Sources enqueues rules when their source changes. It is safe for concurrent use.
type Sources struct {
	objects *Objects
	enqueue EnqueueFunc
	clock   func() time.Time

	mu    sync.Mutex
	rules map[RuleKey]subscription
	slots map[schema.GroupVersionResource]map[types.NamespacedName]*slot
}

// subscription is the source that a rule is enqueued for.
type subscription struct {
	kind   schema.GroupVersionResource
	source types.NamespacedName
}

// NewSources returns sources that nobody watches yet. It is called before the objects are watched.
func NewSources(objects *Objects, enqueue EnqueueFunc) *Sources {
	s := &Sources{
		objects: objects,
		enqueue: enqueue,
		clock:   time.Now,
		rules:   map[RuleKey]subscription{},
		slots:   map[schema.GroupVersionResource]map[types.NamespacedName]*slot{},
	}
	objects.handle(s)
	return s
}

// Watch makes this the source that the rule is enqueued for, and waits until the watch has begun: whatever is read after that is
// either up to date, or an event enqueues the rule.
func (s *Sources) Watch(ctx context.Context, rule RuleKey, kind schema.GroupVersionResource, source types.NamespacedName) error {
	watch := s.objects.pool.Hold(holder{rule, forSource}, kind)[0]
	s.mu.Lock()
	before, known := s.rules[rule]
	now := subscription{kind: kind, source: source}
	s.rules[rule] = now
	s.slot(kind, source).followers[rule] = struct{}{}
	if known && before != now {
		s.unfollow(rule, before)
	}
	s.mu.Unlock()
	return watch.WaitForStart(ctx)
}

// Forget ends the watch of the rule's source.
func (s *Sources) Forget(rule RuleKey) {
	s.mu.Lock()
	if before, known := s.rules[rule]; known {
		delete(s.rules, rule)
		s.unfollow(rule, before)
	}
	s.mu.Unlock()
	s.objects.pool.Release(holder{rule, forSource})
}

// IsShared reports whether several rules have the source.
func (s *Sources) IsShared(kind schema.GroupVersionResource, source types.NamespacedName) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot, known := s.slots[kind][source]
	return known && len(slot.followers) > 1
}

// LastVersion returns the resourceVersion of a source that its last event had, or that was read since; "" if there is none.
func (s *Sources) LastVersion(kind schema.GroupVersionResource, source types.NamespacedName) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot, known := s.slots[kind][source]; known {
		return slot.version
	}
	return ""
}

// LastEvent returns the last event of the source.
func (s *Sources) LastEvent(kind schema.GroupVersionResource, source types.NamespacedName) LastEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot, known := s.slots[kind][source]; known {
		return slot.lastEvent
	}
	return LastEvent{}
}

// ObserveRead notes a source as its only follower has read it, so that the event of the same change enqueues nobody. If there are
// several followers, the others may not have read it, and the next event enqueues all.
func (s *Sources) ObserveRead(kind schema.GroupVersionResource, source metav1.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()}
	slot, known := s.slots[kind][at]
	if !known || !IsNewer(source.GetResourceVersion(), slot.version) {
		return
	}
	if slot.lastEvent.ResourceVersion == "" { // what was read is newer
		slot.lastEvent = LastEvent{}
	}
	slot.version, slot.content = source.GetResourceVersion(), contentFingerprint{}
	if len(slot.followers) == 1 {
		slot.content = contentFingerprintOf(source)
	}
}

func (s *Sources) slot(kind schema.GroupVersionResource, source types.NamespacedName) *slot {
	slots, known := s.slots[kind]
	if !known {
		slots = map[types.NamespacedName]*slot{}
		s.slots[kind] = slots
	}
	if slots[source] == nil {
		slots[source] = &slot{followers: map[RuleKey]struct{}{}}
	}
	return slots[source]
}

// unfollow removes the rule from the followers of the source, and what is known of a source that nobody follows any more.
func (s *Sources) unfollow(rule RuleKey, from subscription) {
	slot, known := s.slots[from.kind][from.source]
	if !known {
		return
	}
	delete(slot.followers, rule)
	if len(slot.followers) > 0 {
		return
	}
	delete(s.slots[from.kind], from.source)
	if len(s.slots[from.kind]) == 0 {
		delete(s.slots, from.kind)
	}
}

// changed implements objectHandler.
func (s *Sources) changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool) {
	at := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	notifyAll(s.enqueue, s.clock(), s.note(kind, at, object, deleted))
}

func (s *Sources) note(kind schema.GroupVersionResource, at types.NamespacedName, object metav1.Object, deleted bool) []notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot, known := s.slots[kind][at]; known {
		return slot.changed(object, deleted)
	}
	return nil
}

// restarted implements objectHandler. It enqueues all rules with a source of the kind.
func (s *Sources) restarted(kind schema.GroupVersionResource) {
	notifyAll(s.enqueue, s.clock(), s.resetVersions(kind))
}

// resetVersions forgets how new the sources of the kind are that were seen, and returns their followers. Whether the owner of a source
// consented when it was seen last is known until it is read.
//
// Example: a source is opted out and deleted. Before its rules are reconciled, the watch begins anew.
func (s *Sources) resetVersions(kind schema.GroupVersionResource) (notified []notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range s.slots[kind] {
		slot.version, slot.content, slot.lastEvent.ResourceVersion = "", contentFingerprint{}, ""
		for rule := range slot.followers {
			notified = append(notified, notification{rule, SourceChanged})
		}
	}
	return notified
}
