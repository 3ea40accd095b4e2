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
	wake  Wake
	pool  *Pool[*kindWatch]
	clock func() time.Time

	mu    sync.Mutex
	rules map[Rule]*interest
	index map[schema.GroupVersionResource]map[types.NamespacedName]*place
}

// interest is what one rule waits for. All of it is of one kind.
type interest struct {
	kind      schema.GroupVersionResource
	source    types.NamespacedName
	watch     interface{ Failure() error }
	obstacles map[types.NamespacedName]*obstacle
}

// place is where rules have their source, or an obstacle.
type place struct {
	followers map[Rule]struct{}
	blocked   map[Rule]*obstacle
	seen      string      // resourceVersion of the last event, or of what was read after it
	print     fingerprint // of the source in that version; none if an event has yet to tell
	latest    Latest
}

// Latest is the part of the last event of a source that decides whether the source is copied.
type Latest struct {
	// ResourceVersion is empty if there was no event yet.
	ResourceVersion string
	Deleted         bool
	// Annotations are those of the source by which its owner consents.
	Annotations map[string]string
}

// Latest returns what the last event told of the source.
func (s *Sources) Latest(kind schema.GroupVersionResource, source types.NamespacedName) Latest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][source]; known {
		return place.latest
	}
	return Latest{}
}

// NewSources returns a tracker whose watches end with the context.
func NewSources(ctx context.Context, client metadata.Interface, wake Wake) *Sources {
	s := &Sources{
		wake:  wake,
		clock: time.Now,
		rules: map[Rule]*interest{},
		index: map[schema.GroupVersionResource]map[types.NamespacedName]*place{},
	}
	s.pool = NewPool(func(kind schema.GroupVersionResource) *kindWatch {
		w := &kindWatch{sources: s, kind: kind}
		w.Stream = Open(ctx, "sources of "+kind.String(), Tail(client.Resource(kind)).Of(kind), w)
		return w
	})
	return s
}

// Follow makes this the source that the rule is woken for, and waits until the watch has begun: whatever is read after
// that is either up to date or followed by a wake.
func (s *Sources) Follow(ctx context.Context, rule Rule, kind schema.GroupVersionResource, source types.NamespacedName) error {
	watch := s.pool.Hold(rule, kind)[0]
	s.mu.Lock()
	before := s.rules[rule]
	now := &interest{kind: kind, source: source, watch: watch, obstacles: map[types.NamespacedName]*obstacle{}}
	s.rules[rule] = now
	s.place(kind, source).followers[rule] = struct{}{}
	if before != nil {
		before.handOn(now)
		s.drop(rule, before)
	}
	s.mu.Unlock()
	return watch.WaitForStart(ctx)
}

// Forget ends all that the rule waits for.
func (s *Sources) Forget(rule Rule) {
	s.mu.Lock()
	if waits, known := s.rules[rule]; known {
		delete(s.rules, rule)
		s.drop(rule, waits)
	}
	s.mu.Unlock()
	s.pool.Release(rule)
}

// Seen returns the resourceVersion of a source that its last event told, or that was read since; "" if there is none.
func (s *Sources) Seen(kind schema.GroupVersionResource, source types.NamespacedName) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][source]; known {
		return place.seen
	}
	return ""
}

// Saw notes a source as its only follower has read it, so that an event that tells no more wakes nobody. Of several, the
// others may not have seen it yet: whatever the next event tells is news to them.
func (s *Sources) Saw(kind schema.GroupVersionResource, source metav1.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()}
	place, known := s.index[kind][at]
	if !known || !IsNewer(source.GetResourceVersion(), place.seen) {
		return
	}
	place.seen, place.print = source.GetResourceVersion(), fingerprint{}
	if len(place.followers) == 1 {
		place.print = fingerprintOf(source)
	}
}

// Watches returns how many kinds are watched, and how many of those watches cannot follow at the moment.
func (s *Sources) Watches() (open, failing int) {
	return s.pool.Count((*kindWatch).Failure)
}

func (s *Sources) place(kind schema.GroupVersionResource, at types.NamespacedName) *place {
	places, known := s.index[kind]
	if !known {
		places = map[types.NamespacedName]*place{}
		s.index[kind] = places
	}
	if places[at] == nil {
		places[at] = &place{followers: map[Rule]struct{}{}, blocked: map[Rule]*obstacle{}}
	}
	return places[at]
}

// leave changes a place, and removes it when nobody waits there any more.
func (s *Sources) leave(kind schema.GroupVersionResource, at types.NamespacedName, change func(*place)) {
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

// drop ends an interest of the rule, but keeps the source that the rule follows now.
func (s *Sources) drop(rule Rule, waits *interest) {
	for at := range waits.obstacles {
		s.leave(waits.kind, at, func(p *place) { delete(p.blocked, rule) })
	}
	if now := s.rules[rule]; now == nil || now.kind != waits.kind || now.source != waits.source {
		s.leave(waits.kind, waits.source, func(p *place) { delete(p.followers, rule) })
	}
}

// changed wakes whoever waits for the object.
func (s *Sources) changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool) {
	at := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	s.wakeAll(s.note(kind, at, object, deleted))
}

// note takes an event, and returns the rules to wake.
func (s *Sources) note(kind schema.GroupVersionResource, at types.NamespacedName, object metav1.Object, deleted bool) []wakeUp {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place, known := s.index[kind][at]; known {
		return place.changed(object, deleted)
	}
	return nil
}

// startedOver wakes all rules of a kind, since events may have been missed. Whatever is in their way is looked at again.
func (s *Sources) startedOver(kind schema.GroupVersionResource) {
	s.wakeAll(s.forgetSeen(kind))
}

// forgetSeen forgets what was seen of the kind, and returns the rules to wake.
func (s *Sources) forgetSeen(kind schema.GroupVersionResource) (woken []wakeUp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, place := range s.index[kind] {
		place.seen, place.print, place.latest = "", fingerprint{}, Latest{}
		for rule := range place.followers {
			woken = append(woken, wakeUp{rule, SourceChanged})
		}
		for rule := range place.blocked {
			s.unblock(rule, s.rules[rule], at)
		}
	}
	return woken
}

type wakeUp struct {
	rule  Rule
	cause Cause
}

func (s *Sources) wakeAll(woken []wakeUp) {
	now := s.clock()
	for _, w := range woken {
		s.wake(w.rule, w.cause, now)
	}
}
