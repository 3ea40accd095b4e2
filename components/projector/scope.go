package projector

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// scope is what one reconcile of a rule knows. Nothing of it outlives the pass.
type scope[O owner.Object] struct {
	*Projector[O]

	// Set by begin.
	rule     O
	before   O // as it was read
	id       owner.Identity
	key      watch.RuleKey
	triggers map[watch.Trigger]time.Time // by what, and since when
	run      *run
	// What earlier passes left under way, and what has become of the rest of it.
	underWay map[lane.Target]struct{}
	late     map[lane.Target]destination.Outcome
	reserved reserved

	// Set by resolve and read.
	kind    source.Kind
	source  *unstructured.Unstructured // nil: nothing is to be copied
	problem problem

	// Set by take: where there may be copies; the first set is the one of the source's kind.
	sets         []copySet
	inventoryErr error // why copies of earlier kinds are not known

	// Set by plan. Without a template, no copy is wanted.
	template *destination.Template
	targets  []Target

	// Set by converge and prune. No outcomes are not the same as outcomes of no target.
	outcomes []destination.Outcome
	removals []destination.Outcome
	foreign  []foreignObject
}

// reserved are the lanes with a slot that was kept for the rule when the pass began. Those that it does not use are given
// back at its end. A slot that is kept later is for the next pass.
type reserved struct{ writes, reads []string }

func (p *Projector[O]) newScope(rule O, run *run) *scope[O] {
	id := owner.IdentityOf(p.adapter.Kind, rule)
	key := watch.RuleKey{Kind: id.Kind.Name, NamespacedName: id.Key()}
	left := p.deps.Lanes.Take(key) // before UnderWay: what ends between the two is left for the next pass
	var removals []destination.Outcome
	for target, outcome := range left {
		if outcome.Err == nil {
			p.lastFailures.ended(id.Key(), target)
		}
		if outcome.Action == destination.Deleted || outcome.Action == destination.LeftAlone && outcome.Content == "" {
			removals = append(removals, outcome)
		}
	}
	return &scope[O]{
		Projector: p,
		rule:      rule,
		before:    rule.DeepCopyObject().(O),
		id:        id,
		key:       key,
		triggers:  p.triggers.take(id.Key()),
		run:       run,
		late:      left,
		underWay:  p.deps.Lanes.UnderWay(key),
		reserved:  reserved{p.deps.Lanes.Reserved(key), p.deps.Reads.Reserved(key)},
		removals:  removals,
	}
}
