package projector

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/projector/internal/tombstone"
	"projection.sh/operator/components/rollout"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// scope is what one reconcile of a rule knows. Nothing of it outlives the reconcile.
type scope[O owner.Object] struct {
	// What all reconciles share.
	adapter    *Adapter[O]
	config     *Config
	hub        *Hub
	branch     *Branch[O] // nil: the copies are in the cluster of the rule
	planner    *plan.Planner[O]
	memory     *memory.Store
	rules      *readYourWrites[O]
	tombstones *tombstone.List
	clock      func() time.Time

	// Set by newScope.
	rule     O
	before   O // as it was read
	spec     owner.Spec
	id       owner.Identity
	key      watch.RuleKey
	triggers memory.Triggers // why the rule was enqueued
	first    bool            // whether this process has not reconciled the rule before
	run      *run

	record record // see recorded

	// Set by resolveKind.
	kind     source.Kind
	copyKind source.Kind // of the copies: that of the source, unless the rule says otherwise

	// sources are what the rule copies: the one that it names, or those that it selects, by name.
	sources []*sourceScope[O]
	// selected is what is known of the sources that the rule selects, if it does, and others are those of which it has copies besides, by name.
	selected selectedSources
	others   map[string]*sourceScope[O]
	byName   map[string]*sourceScope[O] // the sources; empty until one is looked for

	// Filled by checkRing.
	onTheWay ringObjects

	// layers are what is merged with the source, in their order. One that is the source, or that is named twice, is there as often. Ordered is what
	// they come from: names and selectors. The first selection is that of the source, if all sources that the rule selects are merged.
	layers     []*sourceScope[O]
	ordered    []layer[O]
	selections []*mergedSelection[O]
	naming     naming[O]
	// Set by listSelections: the objects that are merged, whether they are named or selected.
	merging map[ObjectRef]*sourceScope[O]

	// Set by noteUnrecorded: why a record of consent could not be ended.
	unrecorded error
	// Set by revokeDenied: whether copies were deleted for want of consent of the owner of a layer.
	revokedLayers bool

	// from is the cluster of the source, and reservedReads are its lanes with a slot that is reserved for the rule. The cluster of layers is the same.
	from          *SourceCluster
	reservedReads []string

	// local are the copies in the cluster that the projector writes to.
	local *memberScope[O]

	// Set by resolveClusters: the other clusters that the rule copies into, or may have copies in.
	clusters []DestinationCluster
	// Set by resolveClusters: the RemoteClusters that are the cluster of the rule.
	here HubCluster
	// Set by prepare: why a namespace of the copies could not be created.
	unprepared error
	// report is what a branch reports besides the status.
	report Report
}

// memberScope is what one reconcile of a rule knows of the copies in one cluster.
type memberScope[O owner.Object] struct {
	scope  *scope[O]
	member *Member

	// Set by newScope: requests that earlier reconciles have left under way, and the results of those that have ended since.
	underWay map[lane.Target]struct{}
	late     map[lane.Target]destination.Outcome
	reserved slots

	// Set by loadInventory: where there may be copies. The first set is the one of the source's kind.
	sets         []copySet
	inventoryErr error // why copies of earlier kinds are not known

	// Set by plan. If the rule has no targets, unmatched says why.
	wanted    plan.Copies
	unmatched string

	// Set by placesIn: where the rule has copies, by namespace.
	places map[string][]types.NamespacedName

	// Set by apply and roll: the copies that wait for their turn, and whose turn it is.
	staged staging
	turn   *rollout.Turn // nil: the reconcile has not come to roll, or no copy had to wait
	// Set by apply: the copies of each source.
	setsOf []copySet
	// Likewise: how many copies are not healthy yet, and when to go on with the rollout at the latest; zero: something has to happen first.
	notHealthyYet int
	rollAgain     time.Duration
	// Set by prune: the copies that replace others.
	replaced replacements

	// Set by apply and prune. Nil outcomes say that the reconcile has not come to apply.
	outcomes []destination.Outcome
	removals []destination.Outcome
	// isPruned reports whether the reconcile has found each copy that is not wanted, as far as inventoryErr says nothing else.
	isPruned bool
	// keptCopies reports whether copies stay that are not planned, since the rule retains them while the source is gone.
	keptCopies bool
	foreign    []foreignObject

	// Set by revoke: the places of copies that the owner of the source does not permit any more, and why some of these are not known.
	revoked   map[lane.Target]bool
	revokeErr error
	// Likewise: the sources of these copies, if the rule has several.
	revokedOf map[lane.Target]*sourceScope[O]

	// Set by deleteLate: how many copies were deleted that had been written late.
	deletedLate int
}

func (p *Projector[O]) newScope(rule O, run *run) *scope[O] {
	if p.branch != nil {
		p.branch.Restore(rule)
	}
	id := owner.IdentityOf(p.adapter.Kind, rule)
	s := &scope[O]{
		adapter:    &p.adapter,
		config:     &p.config,
		hub:        &p.hub,
		branch:     p.branch,
		planner:    p.planner,
		memory:     p.memory,
		rules:      &p.rules,
		tombstones: p.tombstones,
		clock:      p.clock,

		rule:   rule,
		before: rule.DeepCopyObject().(O),
		spec:   p.adapter.Spec(rule),
		id:     id,
		key:    watch.RuleKey{Kind: id.Kind.String(), NamespacedName: id.Key()},
		run:    run,
	}
	s.from = p.sourceCluster(s.key, s.spec.Source)
	s.reservedReads = s.from.Reads.Reserved(s.key)
	if s.from != &p.member.SourceCluster {
		s.planner = p.planner.From(s.from.Resolver)
	}
	if s.branch != nil {
		s.report.Cluster = s.branch.Destination.Identity()
		s.planner = s.planner.Into(s.report.Cluster)
	}
	if !s.spec.Selects() {
		s.sources = []*sourceScope[O]{s.newSourceScope(s.spec)}
	}
	s.newLayers()
	s.local = s.newMemberScope(&p.member)
	s.remembered(func(r *memory.Rule) {
		s.first = !r.Searched
		s.triggers = r.Triggers.Take()
		r.Working = s.triggers
		r.Reconciled, r.Unselected = true, memory.Unselected{}
		for target, outcome := range s.local.late {
			if outcome.Err == nil {
				r.Failures.Remove(target)
			}
		}
	})
	return s
}

func (s *scope[O]) newMemberScope(member *Member) *memberScope[O] {
	late := member.Writes.Take(s.key) // before UnderWay: what ends between the two is left for the next reconcile
	var removals []destination.Outcome
	for _, outcome := range late {
		if outcome.Action == destination.Deleted || outcome.Action == destination.Retained || outcome.Action == destination.LeftAlone && outcome.Content == "" {
			removals = append(removals, outcome)
		}
	}
	return &memberScope[O]{
		scope:     s,
		member:    member,
		late:      late,
		underWay:  member.Writes.UnderWay(s.key),
		reserved:  member.reservedSlots(s.key),
		revoked:   map[lane.Target]bool{},
		revokedOf: map[lane.Target]*sourceScope[O]{},
		removals:  removals,
	}
}

// remembered calls the function with what is remembered of the rule. The function must not block.
func (s *scope[O]) remembered(do func(*memory.Rule)) { s.memory.Do(s.id.Key(), do) }

// end is called when the reconcile has ended, whether by an error or not.
func (s *scope[O]) end() {
	s.local.reserved.release()
	s.from.Reads.Finish(s.key, s.reservedReads)
	s.memory.DoIfKnown(s.id.Key(), func(r *memory.Rule) { r.Working = nil })
}

// restoreTriggers leaves the triggers to the next reconcile.
func (s *scope[O]) restoreTriggers() {
	s.remembered(func(r *memory.Rule) { r.Triggers.Add(s.triggers) })
}
