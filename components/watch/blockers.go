package watch

import (
	"context"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Blockers knows the objects that keep rules from writing their copies, and enqueues a rule when one may not do so any more. It is
// safe for concurrent use.
//
// Example: a rule wants a copy where a user has a ConfigMap of the same name. The rule watches that blocker, reads it, and notes the
// conflict that it finds. Further reconciles return the conflict without a request. When the user deletes the ConfigMap, the event
// enqueues the rule.
type Blockers struct {
	objects *Objects
	enqueue EnqueueFunc
	clock   func() time.Time
	after   func(delay time.Duration, do func()) *time.Timer

	// holding is held while a rule begins or ends to hold a kind, in front of mu. Handlers of events never take it.
	holding sync.Mutex
	mu      sync.Mutex
	rules   map[RuleKey]*blocked
	index   map[location]map[RuleKey]*blocker
}

// location is where an object of a kind is.
type location struct {
	kind schema.GroupVersionResource
	types.NamespacedName
}

// blocked is a rule that has blockers, or may get some. All are of one kind.
type blocked struct {
	kind     schema.GroupVersionResource
	watch    interface{ Failure() error } // of the kind; nil: the rule does not hold the kind
	blockers map[types.NamespacedName]*blocker
	paces    map[types.NamespacedName]*pace
}

// NewBlockers returns an empty set of blockers. It is called before the objects are watched.
func NewBlockers(objects *Objects, enqueue EnqueueFunc) *Blockers {
	b := &Blockers{
		objects: objects,
		enqueue: enqueue,
		clock:   time.Now,
		after:   time.AfterFunc,
		rules:   map[RuleKey]*blocked{},
		index:   map[location]map[RuleKey]*blocker{},
	}
	objects.handle(b)
	return b
}

// Begin says that a reconcile of the rule begins, and of which kind its blockers are. Blockers of another kind are forgotten. Those
// of the kind are kept until Prune, which forgets the ones that were not asked for since.
func (b *Blockers) Begin(rule RuleKey, kind schema.GroupVersionResource) {
	b.holding.Lock()
	defer b.holding.Unlock()
	b.mu.Lock()
	known, found := b.rules[rule]
	if !found {
		known = &blocked{blockers: map[types.NamespacedName]*blocker{}, paces: map[types.NamespacedName]*pace{}}
		b.rules[rule] = known
	}
	if known.kind != kind {
		b.removeAll(rule, known)
		known.kind = kind
	}
	for _, blocker := range known.blockers {
		blocker.wanted = false
	}
	b.mu.Unlock()
	b.releaseIdle(rule)
}

// Watch begins to watch an object in the place of a copy. It has to be called before the object is read, so that no event is missed.
// A request for a copy of an earlier kind may still be under way: its blocker is not noted.
func (b *Blockers) Watch(ctx context.Context, rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) error {
	b.holding.Lock()
	if !b.isOfKind(rule, kind) {
		b.holding.Unlock()
		return nil
	}
	watch := b.objects.pool.Hold(holder{rule, forBlockers}, kind)[0]
	b.mu.Lock()
	added := &blocker{wanted: true}
	b.rules[rule].watch, b.rules[rule].blockers[at] = watch, added
	where := location{kind, at}
	if b.index[where] == nil {
		b.index[where] = map[RuleKey]*blocker{}
	}
	b.index[where][rule] = added
	b.mu.Unlock()
	b.holding.Unlock()
	return watch.WaitForStart(ctx)
}

func (b *Blockers) isOfKind(rule RuleKey, kind schema.GroupVersionResource) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, found := b.rules[rule]
	return found && known.kind == kind
}

// Unwatch takes a Watch back.
func (b *Blockers) Unwatch(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) {
	b.mu.Lock()
	known, found := b.rules[rule]
	if !found || known.kind != kind || known.blockers[at] == nil {
		b.mu.Unlock()
		return
	}
	b.remove(rule, known, at)
	b.mu.Unlock()
	b.holding.Lock()
	defer b.holding.Unlock()
	b.releaseIdle(rule)
}

// SetFinding notes what was found when the object was read. The rule is enqueued when that may not be so any more: the object is
// deleted, is being deleted, names another owner, or has changed in the scope of the finding.
func (b *Blockers) SetFinding(rule RuleKey, kind schema.GroupVersionResource, object metav1.Object, finding error) {
	b.mu.Lock()
	overtaken := false
	if blocker := b.blocker(rule, kind, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}); blocker != nil {
		overtaken = !blocker.found(object, finding)
	}
	b.mu.Unlock()
	if overtaken {
		b.enqueue(rule, CopyChanged, b.clock())
	}
}

// Finding returns what was noted of the object; nil if it has to be read: it has changed, it was not read yet, or its watch fails
// at the moment.
func (b *Blockers) Finding(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	blocker := b.blocker(rule, kind, at)
	if blocker == nil {
		return nil
	}
	blocker.wanted = true
	if b.rules[rule].watch.Failure() != nil {
		return nil
	}
	return blocker.finding
}

// Prune forgets the blockers that were not asked for since Begin. It is called when the rule has asked for all of them.
func (b *Blockers) Prune(rule RuleKey) {
	b.mu.Lock()
	known, found := b.rules[rule]
	if found {
		for at, blocker := range known.blockers {
			if !blocker.wanted {
				b.remove(rule, known, at)
			}
		}
		maps.DeleteFunc(known.paces, func(at types.NamespacedName, _ *pace) bool { return known.blockers[at] == nil })
	}
	b.mu.Unlock()
	if found {
		b.holding.Lock()
		defer b.holding.Unlock()
		b.releaseIdle(rule)
	}
}

// Forget forgets all blockers of the rule.
func (b *Blockers) Forget(rule RuleKey) {
	b.holding.Lock()
	defer b.holding.Unlock()
	b.mu.Lock()
	if known, found := b.rules[rule]; found {
		b.removeAll(rule, known)
		delete(b.rules, rule)
	}
	b.mu.Unlock()
	b.objects.pool.Release(holder{rule, forBlockers})
}

// releaseIdle lets go of the kind if the rule has no blocker.
func (b *Blockers) releaseIdle(rule RuleKey) {
	b.mu.Lock()
	known, found := b.rules[rule]
	idle := found && known.watch != nil && len(known.blockers) == 0
	if idle {
		known.watch = nil
	}
	b.mu.Unlock()
	if idle {
		b.objects.pool.Release(holder{rule, forBlockers})
	}
}

// blocker returns the blocker of the rule at the place; nil if there is none.
func (b *Blockers) blocker(rule RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) *blocker {
	if known, found := b.rules[rule]; found && known.kind == kind {
		return known.blockers[at]
	}
	return nil
}

func (b *Blockers) removeAll(rule RuleKey, known *blocked) {
	for at := range known.blockers {
		b.remove(rule, known, at)
	}
}

func (b *Blockers) remove(rule RuleKey, known *blocked, at types.NamespacedName) {
	delete(known.blockers, at)
	where := location{known.kind, at}
	delete(b.index[where], rule)
	if len(b.index[where]) == 0 {
		delete(b.index, where)
	}
}

// changed implements objectHandler.
func (b *Blockers) changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool) {
	where := location{kind, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}}
	now := b.clock()
	at, later := b.note(where, object, deleted)
	notifyAll(b.enqueue, now, at)
	for delay, notified := range later {
		b.after(delay, func() { notifyAll(b.enqueue, now, notified) })
	}
}

// note returns what is notified at once, and after delays.
func (b *Blockers) note(where location, object metav1.Object, deleted bool) (atOnce []notification, later map[time.Duration][]notification) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.index[where]) == 0 {
		return nil, nil
	}
	later = map[time.Duration][]notification{}
	as := fingerprintsOf(object)
	if deleted {
		as = fingerprints{}
	}
	for rule, blocker := range b.index[where] {
		onlyContent := as[Claims] == blocker.object[Claims]
		if !blocker.changed(object.GetResourceVersion(), as) {
			continue
		}
		if delay := b.delayOf(rule, where, onlyContent); delay > 0 {
			later[delay] = append(later[delay], notification{rule, CopyChanged})
		} else {
			atOnce = append(atOnce, notification{rule, CopyChanged})
		}
	}
	return atOnce, later
}

// restarted implements objectHandler. It forgets the blockers of the kind: each has to be watched and read again. Sources enqueues the
// rules whose source is of the kind, so only the others are enqueued here.
//
// Example: a rule copies a Secret as a ConfigMap, and a user has a ConfigMap there. The user deletes it while the watch on ConfigMaps is
// interrupted.
func (b *Blockers) restarted(kind schema.GroupVersionResource) {
	var notified []notification
	for rule := range b.forgetKind(kind) {
		if !b.objects.pool.Holds(holder{rule, forSource}, kind) {
			notified = append(notified, notification{rule, CopyChanged})
		}
	}
	notifyAll(b.enqueue, b.clock(), notified)
}

// forgetKind forgets the blockers of the kind, and returns the rules that had some.
func (b *Blockers) forgetKind(kind schema.GroupVersionResource) map[RuleKey]struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	forgotten := map[RuleKey]struct{}{}
	for where, rules := range b.index {
		if where.kind != kind {
			continue
		}
		for rule := range rules {
			b.remove(rule, b.rules[rule], where.NamespacedName)
			forgotten[rule] = struct{}{}
		}
	}
	return forgotten
}
