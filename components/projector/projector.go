package projector

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// Adapter is what the two kinds of rules differ in.
type Adapter[O owner.Object] struct {
	Kind owner.RuleKind
	// New returns an empty rule.
	New func() O
	// NewList returns an empty list of rules.
	NewList func() client.ObjectList
	// NewTargetList returns an empty list of what else the plan is made from, as the cache holds it. Nil: nothing.
	NewTargetList func() client.ObjectList
	// Targets returns where copies are to be, sorted by namespace. An error says that it is not known.
	Targets func(context.Context, O) ([]Target, error)
	// StillTarget returns a function that reports whether a namespace that was a target is one still. Nil: it always is.
	StillTarget func(context.Context, O) func(namespace string) bool
	// Status returns the status of the rule.
	Status func(O) any
	// Report adds what only this kind's status has. It is called before the status is written, with an outcome for
	// every target; the outcomes are nil if the pass did not come that far.
	Report func(O, []destination.Outcome)
	// Failures returns what the status tells of single namespaces. Nil: this kind has one target.
	Failures func(O) []v1.NamespaceFailure
}

// Target is a namespace that is to have a copy.
type Target struct {
	Namespace string
	// Blocked says why the namespace cannot have its copy now. What removes the obstacle has to wake the rule.
	Blocked string
}

// Deps are what a projector works with. All are required.
type Deps struct {
	Client     client.Client // reads rules from the cache
	Live       client.Reader // reads rules from the API server
	Recorder   events.EventRecorder
	Definition *definition.Definition
	Resolver   *source.Resolver
	Reader     *source.Reader
	Sources    *watch.Sources
	Inventory  *destination.Inventory
	Writer     *destination.Writer
	Reads      *lane.Lanes[Fetched]             // of sources
	Lanes      *lane.Lanes[destination.Outcome] // writes and deletions of copies
	Metrics    *Metrics
}

// Config are what an administrator chooses.
type Config struct {
	// Selector says which rules are served.
	Selector labels.Selector
	// Mode says what a source without a word of consent means.
	Mode policy.Mode
	// Requeue is when a rule is looked at again that waits for something no watch can see.
	Requeue time.Duration
	// ReadConcurrency is how many copies of one rule are looked for at a time.
	ReadConcurrency int
	// ServerVersion is the version of the API server, such as v1.36.3.
	ServerVersion string
}

// Projector reconciles the rules of one kind.
type Projector[O owner.Object] struct {
	adapter       Adapter[O]
	deps          Deps
	config        Config
	triggers      *triggers
	latest        *readYourWrites[O]
	statusWrites  *ownWrites // statuses
	kindWrites    *ownWrites // kinds
	statusRepairs *repairBackoff
	tombstones    *tombstones
	copyGauge     *copyGauge
	lastFailures  *lastFailures
	queue         queue
	background    *background
	clock         func() time.Time
}

// New returns a projector of one kind.
func New[O owner.Object](kind Adapter[O], parts Deps, settings Config) *Projector[O] {
	parts.Metrics.begin(kind.Kind.Name)
	parts.Metrics.watch(kind.Kind.Name, parts.Sources, parts.Inventory)
	parts.Metrics.define(kind.Kind.Name, parts.Definition)
	p := &Projector[O]{
		adapter:       kind,
		deps:          parts,
		config:        settings,
		triggers:      newTriggers(),
		latest:        newReadYourWrites[O](parts.Client, parts.Live),
		statusWrites:  newOwnWrites(),
		kindWrites:    newOwnWrites(),
		statusRepairs: newRepairBackoff(settings.Requeue, time.Now),
		tombstones:    newTombstones(time.Now),
		copyGauge:     newCopyGauge(kind.Kind.Name, parts.Metrics),
		lastFailures:  newLastFailures(),
		clock:         time.Now,
	}
	p.background = newBackground(&p.queue)
	return p
}

// Requeue asks for a reconcile of the rule that goes on with what an earlier one left under way.
func (p *Projector[O]) Requeue(rule watch.RuleKey) {
	p.queue.whenOpen(func(queued queueItems) { queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName}) })
}

// Enqueue asks for a pass of the rule. It does not block.
func (p *Projector[O]) Enqueue(rule watch.RuleKey, cause watch.Trigger, noticed time.Time) {
	p.queue.whenOpen(func(queued queueItems) {
		p.triggers.note(rule.NamespacedName, cause, noticed)
		queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName})
	})
}

// forgetRule ends everything that is held for a rule that is gone.
func (p *Projector[O]) forgetRule(rule types.NamespacedName) {
	key := watch.RuleKey{Kind: p.adapter.Kind.Name, NamespacedName: rule}
	p.deps.Sources.Forget(key)
	p.deps.Inventory.Forget(key)
	p.triggers.take(rule)
	p.latest.forget(rule)
	p.statusWrites.forget(rule)
	p.kindWrites.forget(rule)
	p.statusRepairs.forget(rule)
	p.copyGauge.forget(rule)
	p.lastFailures.forget(rule)
	p.deps.Reads.Take(key)
	p.deps.Lanes.Take(key)
	p.releaseSlots(key, reserved{p.deps.Lanes.Reserved(key), p.deps.Reads.Reserved(key)})
}

// releaseSlots lets others have the slots that were kept for the rule.
func (p *Projector[O]) releaseSlots(rule watch.RuleKey, kept reserved) {
	p.deps.Lanes.Finish(rule, kept.writes)
	p.deps.Reads.Finish(rule, kept.reads)
}
