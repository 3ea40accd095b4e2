package projector

import (
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// finalize deletes the copies of a rule that is being deleted, and lets the rule go. As long as it is not known which
// copies there are, the rule waits.
func (p *pass[O]) finalize(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(p.rule, p.id.Tier.Finalizer) {
		return p.sweep(ctx, p.id.Key())
	}
	desks, blind := p.stock(ctx)
	for _, desk := range desks {
		if err := p.clear(ctx, desk); err != nil {
			return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
		}
	}
	if err := failures(p.removals); err != nil || p.isPending() {
		return err
	}
	if blind != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, blind)
	}
	for _, desk := range desks {
		p.partings.note(p.id, desk.Resource.GroupResource(), p.sourceAt())
	}
	return p.release(ctx)
}

// stock opens the desks of all kinds that the rule may have copies of: the recorded ones and, if the record was lost, the
// one that it names now. The error names those that may have copies which cannot be known.
func (p *pass[O]) stock(ctx context.Context) ([]desk, error) {
	recorded := recordedKinds(p.rule)
	if named := p.rule.GetSource().GroupKind(); len(recorded) == 0 || !slices.Contains(recorded, named) && p.isServed(ctx, named) {
		recorded = append(recorded, named)
	}
	kinds, blind := p.parts.Resolver.Existing(ctx, recorded)
	if blind != nil {
		blind = p.waits(blind, "remove the finalizer "+p.id.Tier.Finalizer+" by hand")
	}
	desks, err := p.open(ctx, kinds)
	return desks, errors.Join(blind, err)
}

// isServed reports whether the kind is served, or may be. A rule does not wait for a kind that is not served and that its
// record lacks: no object of that kind was written.
func (p *pass[O]) isServed(ctx context.Context, kind schema.GroupKind) bool {
	_, err := p.parts.Resolver.ResolveKind(ctx, kind)
	return !source.IsRefused(err)
}

// clear deletes the copies of one kind. The API server is asked, since the watch may not know our last write yet.
func (p *pass[O]) clear(ctx context.Context, desk desk) error {
	copies := map[types.NamespacedName]destination.Copy{}
	for _, copied := range desk.Ledger.Owned(p.id.Key()) {
		copies[copied.NamespacedName] = copied
	}
	surveyed, err := p.parts.Writer.Survey(ctx, desk.Desk)
	if err != nil {
		return err
	}
	for _, copied := range surveyed {
		copies[copied.NamespacedName] = copied
	}
	hidden, err := p.hidden(ctx, desk, copies)
	if err != nil {
		return err
	}
	p.remove(desk, slices.AppendSeq(hidden, maps.Values(copies)), nil)
	p.meet(desk, nil)
	for _, stranger := range desk.Ledger.HandedOver(p.id.UID) {
		p.removals = append(p.removals, destination.Outcome{Target: stranger.NamespacedName, Action: destination.LeftAlone})
	}
	return nil
}

// hidden finds copies that have lost their label, at the rule's targets where none is known. If the status tells of no
// copy it was not there to lose one, and thousands of targets need not be looked at.
func (p *pass[O]) hidden(ctx context.Context, desk desk, known map[types.NamespacedName]destination.Copy) ([]destination.Copy, error) {
	if p.rule.GetCommonStatus().DestinationName == "" {
		return nil, nil
	}
	targets, err := p.rules.Targets(ctx, p.rule)
	if err != nil {
		return nil, err
	}
	var places []types.NamespacedName
	for _, target := range targets {
		at := types.NamespacedName{Namespace: target.Namespace, Name: p.rule.GetDestinationName()}
		if _, found := known[at]; !found && target.Obstacle == "" {
			places = append(places, at)
		}
	}
	return p.find(ctx, desk, places)
}

// release takes our finalizer off, and with it the rule out of our hands.
func (p *pass[O]) release(ctx context.Context) error {
	base := p.rule.DeepCopyObject().(O)
	controllerutil.RemoveFinalizer(p.rule, p.id.Tier.Finalizer)
	return p.patch(ctx, base)
}
