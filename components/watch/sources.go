package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Sources enqueues rules when their sources change. It is safe for concurrent use.
type Sources struct {
	objects *Objects
	enqueue EnqueueFunc
	clock   func() time.Time

	mu         sync.Mutex
	rules      map[RuleKey]*interest
	slots      map[schema.GroupVersionResource]map[types.NamespacedName]*slot
	selections selectionIndex
}

// SourceOf names sources of a rule in one namespace: one object by its name, or those that match a selector.
type SourceOf struct {
	Kind      schema.GroupVersionResource
	Namespace string
	// Name is empty if there is a selector.
	Name     string
	Selector labels.Selector
}

func (s SourceOf) location() location {
	return location{s.Kind, types.NamespacedName{Namespace: s.Namespace, Name: s.Name}}
}

// NewSources returns sources that nobody watches yet. It is called before the objects are watched.
func NewSources(objects *Objects, enqueue EnqueueFunc) *Sources {
	s := &Sources{
		objects:    objects,
		enqueue:    enqueue,
		clock:      time.Now,
		rules:      map[RuleKey]*interest{},
		slots:      map[schema.GroupVersionResource]map[types.NamespacedName]*slot{},
		selections: selectionIndex{},
	}
	objects.handle(s)
	return s
}

// Watch makes this the source that the rule is enqueued for, and waits until the watch has begun: whatever is read after that is
// either up to date, or an event enqueues the rule.
func (s *Sources) Watch(ctx context.Context, rule RuleKey, kind schema.GroupVersionResource, source types.NamespacedName) error {
	return s.WatchAll(ctx, rule, SourceOf{Kind: kind, Namespace: source.Namespace, Name: source.Name})
}

// WatchAll makes these the sources that the rule is enqueued for, as Watch does with one. If there are selectors, the caller lists what they
// select after that, and calls SetSelected with it. Until then, what was selected last stays, and events of all objects that the list may have
// are noted.
func (s *Sources) WatchAll(ctx context.Context, rule RuleKey, sources ...SourceOf) error {
	now := newInterest(sources)
	watches := s.objects.pool.Hold(holder{rule, forSource}, now.kinds...)
	s.begin(rule, now)
	for _, watch := range watches {
		if err := watch.WaitForStart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Add has the rule enqueued for one more object, until WatchAll.
func (s *Sources) Add(ctx context.Context, rule RuleKey, source SourceOf) error {
	s.mu.Lock()
	known, found := s.rules[rule]
	if !found {
		s.mu.Unlock()
		return s.WatchAll(ctx, rule, source)
	}
	if at := source.location(); !known.follows(at) {
		known.name(at)
		s.slot(at.kind, at.NamespacedName).followers[rule] = struct{}{}
	}
	if !slices.Contains(known.kinds, source.Kind) {
		known.kinds = append(slices.Clone(known.kinds), source.Kind)
	}
	kinds := known.kinds
	s.mu.Unlock()
	for _, watch := range s.objects.pool.Hold(holder{rule, forSource}, kinds...) {
		if err := watch.WaitForStart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin has the rule enqueued for what it is interested in now.
func (s *Sources) begin(rule RuleKey, now *interest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.rules[rule]
	now.keepSelected(before)
	s.rules[rule] = now
	for at := range now.places() {
		s.slot(at.kind, at.NamespacedName).followers[rule] = struct{}{}
	}
	s.unfollowOthers(rule, before, now)
	s.selections.set(rule, before, now)
}

// Forget ends the watch of the rule's sources.
func (s *Sources) Forget(rule RuleKey) {
	s.mu.Lock()
	if before, known := s.rules[rule]; known {
		delete(s.rules, rule)
		s.unfollowOthers(rule, before, nil)
		s.selections.set(rule, before, nil)
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

// Len returns how many sources rules name or have selected.
func (s *Sources) Len() (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slots := range s.slots {
		count += len(slots)
	}
	return count
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

// unfollowOthers removes the rule from the followers of the sources that it had before, and has no more. Nil: it has none.
func (s *Sources) unfollowOthers(rule RuleKey, before, now *interest) {
	if before == nil {
		return
	}
	for at := range before.places() {
		if now == nil || !now.follows(at) {
			s.unfollow(rule, at)
		}
	}
}

// unfollow removes the rule from the followers of the source, and what is known of a source that nobody follows any more.
func (s *Sources) unfollow(rule RuleKey, from location) {
	slot, known := s.slots[from.kind][from.NamespacedName]
	if !known {
		return
	}
	delete(slot.followers, rule)
	if len(slot.followers) > 0 {
		return
	}
	delete(s.slots[from.kind], from.NamespacedName)
	if len(s.slots[from.kind]) == 0 {
		delete(s.slots, from.kind)
	}
}

// changed implements objectHandler.
func (s *Sources) changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool) {
	at := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	notifyAll(s.enqueue, s.clock(), s.note(kind, at, object, deleted))
}

// note takes an event. It is news for the rules that have the object as a source, and for those with a selector that matches it now.
func (s *Sources) note(kind schema.GroupVersionResource, at types.NamespacedName, object metav1.Object, deleted bool) (notified []notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	selecting := s.selections[kindInNamespace{kind, at.Namespace}]
	slot, known := s.slots[kind][at]
	if known {
		notified = slot.changed(object, deleted)
		if len(selecting) > 0 {
			slot.lastEvent.Labels = labels.Merge(object.GetLabels(), nil)
		}
	}
	for rule := range selecting {
		if known && slot.isFollowedBy(rule) {
			continue
		}
		matches := s.rules[rule].noteEvent(location{kind, at}, object, deleted)
		if matches && !deleted {
			notified = append(notified, notification{rule, SourceChanged})
		}
	}
	return notified
}

// restarted implements objectHandler. It enqueues all rules with a source of the kind.
func (s *Sources) restarted(kind schema.GroupVersionResource) {
	notifyAll(s.enqueue, s.clock(), s.resetVersions(kind))
}

// resetVersions forgets how new the sources of the kind are that were seen, and returns their followers, and the rules with selectors. Whether the
// owner of a source consented when it was seen last is known until it is read.
//
// Example: a source is opted out and deleted. Before its rules are reconciled, the watch begins anew.
func (s *Sources) resetVersions(kind schema.GroupVersionResource) (notified []notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rules := s.selections.of(kind)
	for _, slot := range s.slots[kind] {
		slot.version, slot.content, slot.lastEvent.ResourceVersion = "", contentFingerprint{}, ""
		for rule := range slot.followers {
			if _, selects := rules[rule]; !selects {
				notified = append(notified, notification{rule, SourceChanged})
			}
		}
	}
	for rule := range rules {
		notified = append(notified, notification{rule, SourceChanged})
	}
	return notified
}
