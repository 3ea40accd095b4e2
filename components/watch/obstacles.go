package watch

import (
	"hash/fnv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// obstacle is an object in the way of a rule's copy.
type obstacle struct {
	// verdict is what was found when it was looked at; nil before that, and when it may no longer be so.
	verdict error
	// marks are those of the object in that version: as it was looked at or, before that, as the last event told.
	marks   uint64
	version string
	// asked tells that the rule has asked for it since it last followed its source.
	asked bool
}

// ownershipFingerprint covers what a verdict depends on: which object it is, whether it is being deleted, whose it says it is, and where. The
// marks of an object that is gone are 0.
func ownershipFingerprint(object metav1.Object) uint64 {
	hash := fnv.New64a()
	note := func(entries map[string]string, key string) {
		value, found := entries[key]
		if found {
			value = "=" + value
		}
		_, _ = hash.Write([]byte(value + "\x00"))
	}
	for _, tier := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		note(object.GetAnnotations(), tier.Annotation)
		note(object.GetLabels(), tier.Label)
	}
	note(object.GetAnnotations(), v1.AnnotationPlace)
	_, _ = hash.Write([]byte(object.GetUID()))
	if object.GetDeletionTimestamp() != nil {
		_, _ = hash.Write([]byte{1})
	}
	return hash.Sum64()
}

// changed notes an event, and tells whether the verdict is no longer so. What is older than the look is no news. Before
// there is a verdict, Judge compares.
func (o *obstacle) changed(version string, marks uint64) bool {
	if !IsNewer(version, o.version) {
		return false
	}
	news := o.verdict != nil && marks != o.marks
	if news {
		o.verdict = nil
	}
	o.version, o.marks = version, marks
	return news
}

// Obstacles are of the kind of the source that the rule follows. A request about a copy of the kind before may still be under
// way: what it finds is not noted.

// Block begins to wait for news of the object in the way of a copy. It has to be called before the object is looked at, so
// that none can be missed.
func (s *Sources) Block(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, known := s.rules[rule]; known && waits.kind == kind {
		obstacle := &obstacle{asked: true}
		waits.obstacles[at] = obstacle
		s.slot(waits.kind, at).blocked[rule] = obstacle
	}
}

// Unblock takes a Block back.
func (s *Sources) Unblock(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits, known := s.rules[rule]; known && waits.kind == kind {
		s.unblock(rule, waits, at)
	}
}

func (s *Sources) unblock(rule RuleKey, waits *subscription, at types.NamespacedName) {
	delete(waits.obstacles, at)
	s.updateSlot(waits.kind, at, func(p *slot) { delete(p.blocked, rule) })
}

// Judge notes what was found when the object in the way was looked at. The rule is woken when that is no longer so: the
// object is gone, is being deleted, or says that it is another's.
func (s *Sources) Judge(rule RuleKey, kind schema.GroupVersionResource, object metav1.Object, verdict error) {
	if s.judge(rule, kind, object, verdict) {
		s.enqueueAll([]notification{{rule, CopyChanged}})
	}
}

// judge tells whether an event was quicker than the look.
func (s *Sources) judge(rule RuleKey, kind schema.GroupVersionResource, object metav1.Object, verdict error) (overtaken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits, known := s.rules[rule]
	if !known || waits.kind != kind {
		return false
	}
	obstacle := waits.obstacles[types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}]
	if obstacle == nil {
		return false
	}
	version, marks := object.GetResourceVersion(), ownershipFingerprint(object)
	if obstacle.version != "" && obstacle.marks != marks && IsNewer(obstacle.version, version) {
		return true
	}
	obstacle.verdict, obstacle.version, obstacle.marks = verdict, version, marks
	return false
}

// Verdict returns what was found when the object in the way was last looked at; nil if it has to be looked at: it is not
// what it was, nobody has looked, or the watch cannot tell at the moment.
func (s *Sources) Verdict(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits, known := s.rules[rule]
	if !known || waits.kind != kind || waits.obstacles[at] == nil {
		return nil
	}
	waits.obstacles[at].asked = true
	if waits.watch.Failure() != nil {
		return nil
	}
	return waits.obstacles[at].verdict
}

// Settle forgets the obstacles that the rule has not asked for since it last followed its source. It is called when the
// rule has asked for all that it wants to know of.
func (s *Sources) Settle(rule RuleKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waits, known := s.rules[rule]
	if !known {
		return
	}
	for at, obstacle := range waits.obstacles {
		if !obstacle.asked {
			s.unblock(rule, waits, at)
		}
	}
}

// handOn leaves the obstacles to the rule's next interest, if that is of the same kind.
func (i *subscription) handOn(next *subscription) {
	if i.kind != next.kind {
		return
	}
	for _, obstacle := range i.obstacles {
		obstacle.asked = false
	}
	next.obstacles, i.obstacles = i.obstacles, nil
}
