package projector

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/freshness"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/projector/internal/tombstone"
	"projection.sh/operator/components/watch"
)

// Hub is the cluster of the rules. All fields but Permissions, Names and WritersOf are required.
type Hub struct {
	Client   client.Client // reads rules from the cache
	Live     client.Reader // reads rules from the API server
	Recorder events.EventRecorder
	Schema   *definition.Definition // of the rules
	Metrics  *metrics.Metrics
	Outages  *freshness.Outages // of the API server behind the cache
	// Permissions are those of the rules' sources, by which events of namespaces enqueue rules. Nil: they enqueue none.
	Permissions *watch.Permissions
	// Names are those of the rules' expressions, likewise.
	Names *watch.Names
	// ID is the hub id, by which other clusters know the operator; empty: sources in other clusters are not read.
	ID string
	// Identity is the uid of the namespace kube-system, by which the operator recognizes a RemoteCluster that is its own cluster.
	Identity string
	// SourceCluster returns the cluster of the RemoteCluster with that name, even if there is none: its Remote says why it cannot be used. Nil: the
	// operator reads no sources in other clusters.
	SourceCluster func(name string) *SourceCluster
	// WritersOf returns the rules of all kinds whose copy is to be this object. Nil: rings are not found.
	WritersOf func(ctx context.Context, at ObjectRef) ([]PlaceWriter, error)
}

// Member is a cluster that sources are read from and copies are written to. The hub is a member, too. All fields but Cluster are required.
type Member struct {
	SourceCluster

	Cluster   string // its name; empty: the hub
	Blockers  *watch.Blockers
	Inventory *destination.Inventory
	Writer    *destination.Writer
	Writes    *lane.Lanes[destination.Outcome] // and deletions of copies
	// ServerVersion returns the version of the API server, such as v1.36.3.
	ServerVersion func() string
}

// Config is what an administrator chooses.
type Config struct {
	// Selector selects the rules that are reconciled.
	Selector labels.Selector
	// Mode says what a source means that has no annotation of consent.
	Mode policy.Mode
	// DefaultAccount is the service account, in the rule's namespace, of namespaced rules that name none. Empty: the operator itself.
	DefaultAccount string
	// RequireAccount reports whether rules need a service account.
	RequireAccount bool
	// Requeue is when to look again at a rule that waits for something without events.
	Requeue time.Duration
	// ReadConcurrency is how many copies of one rule are looked for at a time.
	ReadConcurrency int
	// MaxSelectedContent is how many bytes of the content of selected sources a reconcile holds. Sources whose copies are in sync need none. The
	// copies of others that do not fit are written by later reconciles.
	MaxSelectedContent int
}

// Projector reconciles the rules of one kind.
type Projector[O owner.Object] struct {
	adapter    Adapter[O]
	config     Config
	hub        Hub
	member     Member
	home       *SourceCluster // in which sources are that name no cluster
	branch     *Branch[O]     // nil: the copies are in the cluster of the rules
	planner    *plan.Planner[O]
	memory     *memory.Store
	rules      readYourWrites[O]
	tombstones *tombstone.List
	queue      queue
	gate       *freshness.Gate // nil until SetupWithManager
	background *background
	clock      func() time.Time
}

// New returns a projector of one kind of rules.
func New[O owner.Object](adapter Adapter[O], hub Hub, member Member, config Config) *Projector[O] {
	remembered := memory.NewStore()
	if hub.SourceCluster == nil {
		off := disabled(member.SourceCluster)
		hub.SourceCluster = func(string) *SourceCluster { return off }
	}
	adapter.Spec = plan.WithDefaultAccount(adapter.Kind, adapter.Spec, config.DefaultAccount)
	p := &Projector[O]{
		adapter: adapter,
		config:  config,
		hub:     hub,
		member:  member,
		planner: &plan.Planner[O]{
			Kind:    adapter.Kind,
			Spec:    adapter.Spec,
			Targets: adapter.Targets,
			NamespaceLabels: func(ctx context.Context, name string) (map[string]string, bool, error) {
				return watch.NamespaceLabels(ctx, hub.Client, name)
			},
			Resolver:       member.Resolver,
			Mode:           config.Mode,
			HubID:          hub.ID,
			RequireAccount: config.RequireAccount,
			ServerVersion:  member.ServerVersion,
			Requeue:        config.Requeue,
		},
		memory:     remembered,
		rules:      readYourWrites[O]{cache: hub.Client, live: hub.Live, memory: remembered},
		tombstones: tombstone.NewList(destination.LateWrites, time.Now),
		clock:      time.Now,
	}
	p.home = &p.member.SourceCluster
	p.background = newBackground(&p.queue)
	hub.Metrics.Start(adapter.Kind.Name)
	hub.Metrics.Scrape(adapter.Kind.Name, metrics.Scraped{
		Sources: member.Objects.Watches, Copies: member.Inventory.Watches, Orphans: p.countOrphans, OldestPending: p.oldestPending,
		SchemaUncertain: hub.Schema.IsUncertain,
	})
	return p
}

// Enqueue enqueues the rule because of an event that was noticed at that time. It does not block.
func (p *Projector[O]) Enqueue(rule watch.RuleKey, trigger watch.Trigger, noticed time.Time) {
	p.queue.whenOpen(func(queued queueItems) {
		p.remember(rule.NamespacedName, trigger, noticed)
		queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName})
	})
}

// Requeue enqueues the rule because a request of an earlier reconcile has ended. It does not block.
func (p *Projector[O]) Requeue(rule watch.RuleKey) {
	p.queue.whenOpen(func(queued queueItems) { queued.Add(reconcile.Request{NamespacedName: rule.NamespacedName}) })
}

// remember keeps the trigger until a reconcile has dealt with it.
func (p *Projector[O]) remember(rule types.NamespacedName, trigger watch.Trigger, noticed time.Time) {
	p.memory.Do(rule, func(r *memory.Rule) { r.Triggers.Add(memory.Triggers{trigger: noticed}) })
}

// oldestPending returns how long ago the oldest trigger was noticed that no reconcile has dealt with; 0: there is none.
func (p *Projector[O]) oldestPending() time.Duration {
	oldest := p.memory.OldestTrigger()
	if oldest.IsZero() {
		return 0
	}
	return max(0, p.clock().Sub(oldest))
}

// forgetRule drops everything that is held for a rule that is gone, and returns what was remembered of it. Its tombstones
// stay: they outlive the rule.
func (p *Projector[O]) forgetRule(rule types.NamespacedName) memory.Rule {
	key := watch.RuleKey{Kind: p.adapter.Kind.String(), NamespacedName: rule}
	p.member.Blockers.Forget(key)
	p.member.Inventory.Forget(key)
	p.hub.Permissions.Set(key, policy.Permission{})
	p.hub.Names.Set(key, expressions.Names{})
	dropped := p.memory.Drop(rule)
	p.hub.Metrics.ReplaceCopies(p.adapter.Kind.Name, metrics.Copies{}, dropped.Copies)
	p.hub.Metrics.ReplaceRule(p.adapter.Kind.Name, metrics.Readiness{}, dropped.Ready)
	p.member.Writes.Take(key)
	p.member.reservedSlots(key).release()
	p.home.Leave(key)
	if p.adapter.Fanout != nil {
		p.adapter.Fanout.Forget(rule)
	}
	if dropped.From != nil {
		dropped.From.Leave(key)
	}
	return dropped
}
