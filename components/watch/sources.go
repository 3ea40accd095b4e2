package watch

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

// Sources wakes rules when their source changes, and when an object that stands where a copy belongs may be gone. It
// keeps one metadata-only watch per kind, and of the objects only what is waited for.
type Sources struct {
	enqueue EnqueueFunc
	pool    *Pool[*kindWatch]
	clock   func() time.Time

	mu    sync.Mutex
	rules map[RuleKey]*subscription
	index map[schema.GroupVersionResource]map[types.NamespacedName]*slot
}

// subscription is what one rule waits for. All of it is of one kind.
type subscription struct {
	kind      schema.GroupVersionResource
	source    types.NamespacedName
	watch     interface{ Failure() error }
	obstacles map[types.NamespacedName]*obstacle
}

// slot is where rules have their source, or an obstacle.
type slot struct {
	followers map[RuleKey]struct{}
	blocked   map[RuleKey]*obstacle
	version   string      // resourceVersion of the last event, or of what was read after it
	content   fingerprint // of the source in that version; none if an event has yet to tell
	lastEvent LastEvent
}

// LastEvent is the part of the last event of a source that decides whether the source is copied.
type LastEvent struct {
	// ResourceVersion is empty if there was no event yet.
	ResourceVersion string
	Deleted         bool
	// Annotations are those of the source by which its owner consents.
	Annotations map[string]string
}

// LastEvent returns what the last event told of the source.
func (s *Sources) LastEvent(kind schema.GroupVersionResource, source types.NamespacedName) LastEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][source]; known {
		return place.lastEvent
	}
	return LastEvent{}
}

// NewSources returns a tracker whose watches end with the context.
func NewSources(ctx context.Context, client metadata.Interface, wake EnqueueFunc) *Sources {
	s := &Sources{
		enqueue: wake,
		clock:   time.Now,
		rules:   map[RuleKey]*subscription{},
		index:   map[schema.GroupVersionResource]map[types.NamespacedName]*slot{},
	}
	s.pool = NewPool(func(kind schema.GroupVersionResource) *kindWatch {
		w := &kindWatch{sources: s, kind: kind}
		w.Stream = Open(ctx, "sources of "+kind.String(), FromNow(client.Resource(kind)).Of(kind), w)
		return w
	})
	return s
}

// Watch makes this the source that the rule is woken for, and waits until the watch has begun: whatever is read after
// that is either up to date or followed by a wake.
func (s *Sources) Watch(ctx context.Context, rule RuleKey, kind schema.GroupVersionResource, source types.NamespacedName) error {
	watch := s.pool.Hold(rule, kind)[0]
	s.mu.Lock()
	before := s.rules[rule]
	now := &subscription{kind: kind, source: source, watch: watch, obstacles: map[types.NamespacedName]*obstacle{}}
	s.rules[rule] = now
	s.slot(kind, source).followers[rule] = struct{}{}
	if before != nil {
		before.handOn(now)
		s.release(rule, before)
	}
	s.mu.Unlock()
	return watch.WaitForStart(ctx)
}

// Forget ends all that the rule waits for.
func (s *Sources) Forget(rule RuleKey) {
	s.mu.Lock()
	if waits, known := s.rules[rule]; known {
		delete(s.rules, rule)
		s.release(rule, waits)
	}
	s.mu.Unlock()
	s.pool.Release(rule)
}

// LastVersion returns the resourceVersion of a source that its last event told, or that was read since; "" if there is none.
func (s *Sources) LastVersion(kind schema.GroupVersionResource, source types.NamespacedName) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][source]; known {
		return place.version
	}
	return ""
}

// ObserveRead notes a source as its only follower has read it, so that an event that tells no more wakes nobody. Of several, the
// others may not have seen it yet: whatever the next event tells is news to them.
func (s *Sources) ObserveRead(kind schema.GroupVersionResource, source metav1.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()}
	place, known := s.index[kind][at]
	if !known || !IsNewer(source.GetResourceVersion(), place.version) {
		return
	}
	place.version, place.content = source.GetResourceVersion(), fingerprint{}
	if len(place.followers) == 1 {
		place.content = fingerprintOf(source)
	}
}

// Watches returns how many kinds are watched, and how many of those watches cannot follow at the moment.
func (s *Sources) Watches() (open, failing int) {
	return s.pool.Count((*kindWatch).Failure)
}

func (s *Sources) slot(kind schema.GroupVersionResource, at types.NamespacedName) *slot {
	places, known := s.index[kind]
	if !known {
		places = map[types.NamespacedName]*slot{}
		s.index[kind] = places
	}
	if places[at] == nil {
		places[at] = &slot{followers: map[RuleKey]struct{}{}, blocked: map[RuleKey]*obstacle{}}
	}
	return places[at]
}

// updateSlot changes a place, and removes it when nobody waits there any more.
func (s *Sources) updateSlot(kind schema.GroupVersionResource, at types.NamespacedName, change func(*slot)) {
	place, known := s.index[kind][at]
	if !known {
		return
	}
	change(place)
	if len(place.followers)+len(place.blocked) > 0 {
		return
	}
	delete(s.index[kind], at)
	if len(s.index[kind]) == 0 {
		delete(s.index, kind)
	}
}

// release ends an interest of the rule, but keeps the source that the rule follows now.
func (s *Sources) release(rule RuleKey, waits *subscription) {
	for at := range waits.obstacles {
		s.updateSlot(waits.kind, at, func(p *slot) { delete(p.blocked, rule) })
	}
	if now := s.rules[rule]; now == nil || now.kind != waits.kind || now.source != waits.source {
		s.updateSlot(waits.kind, waits.source, func(p *slot) { delete(p.followers, rule) })
	}
}

// changed wakes whoever waits for the object.
func (s *Sources) changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool) {
	at := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	s.enqueueAll(s.note(kind, at, object, deleted))
}

// note takes an event, and returns the rules to wake.
func (s *Sources) note(kind schema.GroupVersionResource, at types.NamespacedName, object metav1.Object, deleted bool) []notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][at]; known {
		return place.changed(object, deleted)
	}
	return nil
}

// restarted wakes all rules of a kind, since events may have been missed. Whatever is in their way is looked at again.
func (s *Sources) restarted(kind schema.GroupVersionResource) {
	s.enqueueAll(s.resetVersions(kind))
}

// resetVersions forgets what was seen of the kind, and returns the rules to wake.
func (s *Sources) resetVersions(kind schema.GroupVersionResource) (woken []notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, place := range s.index[kind] {
		place.version, place.content, place.lastEvent = "", fingerprint{}, LastEvent{}
		for rule := range place.followers {
			woken = append(woken, notification{rule, SourceChanged})
		}
		for rule := range place.blocked {
			s.unblock(rule, s.rules[rule], at)
		}
	}
	return woken
}

type notification struct {
	rule    RuleKey
	trigger Trigger
}

func (s *Sources) enqueueAll(woken []notification) {
	now := s.clock()
	for _, w := range woken {
		s.enqueue(w.rule, w.trigger, now)
	}
}
