package projector

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// finalize deletes the copies of a rule that is being deleted, and lets the rule go. As long as it is not known which
// copies there are, the rule waits.
func (p *pass[O]) finalize(ctx context.Context) error {
	if !controllerutil.ContainsFinalizer(p.rule, p.id.Tier.Finalizer) {
		return nil
	}
	desks, err := p.stock(ctx, recordedKinds(p.rule))
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
	}
	for _, desk := range desks {
		if err := p.clear(ctx, desk); err != nil {
			return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
		}
	}
	if err := failures(p.removals); err != nil {
		return err
	}
	return p.release(ctx)
}

// clear deletes the copies of one kind: those that are known, and those at the rule's targets that have lost their label.
func (p *pass[O]) clear(ctx context.Context, desk desk) error {
	copies := desk.Ledger.Owned(p.id.Key())
	hidden, err := p.hidden(ctx, desk, copies)
	if err != nil {
		return err
	}
	p.remove(ctx, desk, slices.Concat(copies, hidden))
	for _, stranger := range desk.Ledger.HandedOver(p.id.UID) {
		p.removals = append(p.removals, destination.Outcome{Target: stranger.NamespacedName, Action: destination.LeftAlone})
	}
	return nil
}

// hidden looks at the rule's targets where no copy is known. A rule whose status tells of no copy has none there.
func (p *pass[O]) hidden(ctx context.Context, desk desk, known []destination.Copy) ([]destination.Copy, error) {
	if p.rule.GetCommonStatus().DestinationName == "" {
		return nil, nil
	}
	targets, err := p.rules.Targets(ctx, p.rule)
	if err != nil {
		return nil, err
	}
	var copies []destination.Copy
	seen := make(map[types.NamespacedName]bool, len(known))
	for _, copied := range known {
		seen[copied.NamespacedName] = true
	}
	for _, target := range targets {
		at := types.NamespacedName{Namespace: target.Namespace, Name: p.rule.GetDestinationName()}
		if seen[at] || target.Obstacle != "" {
			continue
		}
		copied, found, err := p.parts.Writer.Find(ctx, desk.Desk, at)
		if err != nil {
			return nil, err
		}
		if found {
			copies = append(copies, copied)
		}
	}
	return copies, nil
}

// release takes our finalizer off, and with it the rule out of our hands.
func (p *pass[O]) release(ctx context.Context) error {
	base := p.rule.DeepCopyObject().(O)
	controllerutil.RemoveFinalizer(p.rule, p.id.Tier.Finalizer)
	return p.patch(ctx, base)
}
