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

// Kind is what the two kinds of rules differ in.
type Kind[O owner.Object] struct {
	Tier owner.Tier
	// New returns an empty rule.
	New func() O
	// NewList returns an empty list of rules.
	NewList func() client.ObjectList
	// NewPlaces returns an empty list of what else the plan is made from, as the cache holds it. Nil: nothing.
	NewPlaces func() client.ObjectList
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
	// Obstacle says why the namespace cannot have its copy now. What removes the obstacle has to wake the rule.
	Obstacle string
}

// Parts are what a projector works with. All are required.
type Parts struct {
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

// Settings are what an administrator chooses.
type Settings struct {
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
	rules       Kind[O]
	parts       Parts
	settings    Settings
	causes      *causes
	latest      *latest[O]
	told        *told // statuses
	recorded    *told // kinds
	corrections *corrections
	partings    *partings
	tally       *tally
	failing     *failing
	queue       queue
	background  *background
	clock       func() time.Time
}

// New returns a projector of one kind.
func New[O owner.Object](kind Kind[O], parts Parts, settings Settings) *Projector[O] {
	parts.Metrics.begin(kind.Tier.Kind)
	parts.Metrics.watch(kind.Tier.Kind, parts.Sources, parts.Inventory)
	parts.Metrics.define(kind.Tier.Kind, parts.Definition)
	p := &Projector[O]{
		rules:       kind,
		parts:       parts,
		settings:    settings,
		causes:      newCauses(),
		latest:      newLatest[O](parts.Client, parts.Live),
		told:        newTold(),
		recorded:    newTold(),
		corrections: newCorrections(settings.Requeue, time.Now),
		partings:    newPartings(time.Now),
		tally:       newTally(kind.Tier.Kind, parts.Metrics),
		failing:     newFailing(),
		clock:       time.Now,
	}
	p.background = newBackground(&p.queue)
	return p
}

// Enqueue asks for a reconcile of the rule that goes on with what an earlier one left under way.
func (p *Projector[O]) Enqueue(rule watch.Rule) {
	p.queue.whenOpen(func(queued items) { queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName}) })
}

// Wake asks for a pass of the rule. It does not block.
func (p *Projector[O]) Wake(rule watch.Rule, cause watch.Cause, noticed time.Time) {
	p.queue.whenOpen(func(queued items) {
		p.causes.note(rule.NamespacedName, cause, noticed)
		queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName})
	})
}

// forget ends everything that is held for a rule that is gone.
func (p *Projector[O]) forget(rule types.NamespacedName) {
	waker := watch.Rule{Kind: p.rules.Tier.Kind, NamespacedName: rule}
	p.parts.Sources.Forget(waker)
	p.parts.Inventory.Leave(waker)
	p.causes.take(rule)
	p.latest.forget(rule)
	p.told.forget(rule)
	p.recorded.forget(rule)
	p.corrections.forget(rule)
	p.tally.forget(rule)
	p.failing.forget(rule)
	p.parts.Reads.Take(waker)
	p.parts.Lanes.Take(waker)
	p.giveBack(waker, reserved{p.parts.Lanes.Reserved(waker), p.parts.Reads.Reserved(waker)})
}

// giveBack lets others have the slots that were kept for the rule.
func (p *Projector[O]) giveBack(rule watch.Rule, kept reserved) {
	p.parts.Lanes.Finish(rule, kept.writes)
	p.parts.Reads.Finish(rule, kept.reads)
}
