package projector

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// plan says which copies there are to be.
func (p *pass[O]) plan(ctx context.Context) error {
	if p.source == nil {
		return nil
	}
	targets, err := p.rules.Targets(ctx, p.rule)
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonNamespaceResolutionFailed, err)
	}
	template, err := destination.Render(p.source, p.id, p.rule, p.settings.ServerVersion)
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationWriteFailed, err)
	}
	p.template, p.targets = template, targets
	return nil
}

// converge writes the copies that are not in step, several at a time. None waits for another's fault.
func (p *pass[O]) converge(ctx context.Context) {
	p.outcomes = make([]destination.Outcome, len(p.targets))
	if p.template == nil {
		return
	}
	desk, known := p.desks[0].Desk, destination.ParseFields(p.rule.GetCommonStatus().AppliedFields)
	writes := p.writes()
	for i, target := range p.targets {
		at := p.template.At(target.Namespace)
		switch {
		case target.Obstacle != "":
			p.outcomes[i] = destination.Outcome{Target: at, Reason: v1.ReasonDestinationCreateFailed, Message: target.Obstacle}
		case desk.Ledger.Want(at, p.id.Key(), p.template.Hash(), known):
			p.outcomes[i] = destination.Outcome{Target: at}
		default:
			writes.Go(func() error {
				p.outcomes[i] = p.parts.Writer.Apply(ctx, desk, p.template, target.Namespace)
				return nil
			})
		}
	}
	_ = writes.Wait() // every write has an outcome of its own
}

// prune deletes the copies that are not planned. Where a new copy could not be written, the old one stays until it can.
func (p *pass[O]) prune(ctx context.Context) {
	planned, stuck := map[types.NamespacedName]bool{}, map[string]bool{}
	for _, outcome := range p.outcomes {
		planned[outcome.Target] = true
		stuck[outcome.Target.Namespace] = outcome.Failed()
	}
	for i := range p.desks {
		desk, current := &p.desks[i], i == 0
		var stale []destination.Copy
		for _, copied := range desk.Ledger.Owned(p.id.Key()) {
			switch {
			case current && planned[copied.NamespacedName]:
			case stuck[copied.Namespace]:
				desk.kept = true
			default:
				stale = append(stale, copied)
			}
		}
		p.remove(ctx, *desk, stale)
	}
}

// remove deletes copies, several at a time.
func (p *pass[O]) remove(ctx context.Context, desk desk, copies []destination.Copy) {
	removals := make([]destination.Outcome, len(copies))
	writes := p.writes()
	for i, copied := range copies {
		writes.Go(func() error {
			removals[i] = p.parts.Writer.Remove(ctx, desk.Desk, copied)
			return nil
		})
	}
	_ = writes.Wait() // every deletion has an outcome of its own
	p.removals = append(p.removals, removals...)
}

func (p *pass[O]) writes() *errgroup.Group {
	var writes errgroup.Group
	writes.SetLimit(p.settings.WriteConcurrency)
	return &writes
}

// settle returns what has to be tried again, and else forgets the kinds that no copy is of any more.
func (p *pass[O]) settle(ctx context.Context) error {
	if err := failures(slices.Concat(p.outcomes, p.removals)); err != nil {
		return err
	}
	var kinds []schema.GroupKind
	for i, desk := range p.desks {
		if current := i == 0; current || desk.kept {
			kinds = append(kinds, desk.kind.GroupKind())
		}
	}
	return p.record(ctx, kinds, func() {})
}

func failures(outcomes []destination.Outcome) error {
	var errs []error
	for _, outcome := range outcomes {
		errs = append(errs, outcome.Err)
	}
	return errors.Join(errs...)
}
