package projector

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// desk is where the copies of one kind are dealt with.
type desk struct {
	destination.Desk
	kind source.Kind
	// kept tells that copies of an earlier kind or name stay until their successors are in place.
	kept bool
}

// take finds out which copies there are: of the source's kind, which comes first, and of those that the rule named
// earlier. What cannot be known of an earlier kind does not keep the source's from being written.
func (p *pass[O]) take(ctx context.Context) error {
	current, err := p.open(ctx, []source.Kind{p.kind})
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
	}
	p.desks = current
	earlier := slices.DeleteFunc(recordedKinds(p.rule), func(kind schema.GroupKind) bool { return kind == p.kind.GroupKind() })
	if len(earlier) == 0 {
		return nil
	}
	kinds, err := p.served(ctx, earlier)
	if err == nil {
		current, err = p.open(ctx, append([]source.Kind{p.kind}, kinds...))
	}
	if p.blind = err; err == nil {
		p.desks = current
	}
	return nil
}

// open returns the desks of the kinds when all of their copies are known.
func (p *pass[O]) open(ctx context.Context, kinds []source.Kind) ([]desk, error) {
	resources := make([]schema.GroupVersionResource, len(kinds))
	for i, kind := range kinds {
		resources[i] = kind.GroupVersionResource()
	}
	ledgers, err := p.parts.Inventory.Hold(ctx, p.waker, resources...)
	if err != nil {
		return nil, err
	}
	desks := make([]desk, len(kinds))
	for i, kind := range kinds {
		desks[i] = desk{kind: kind, Desk: destination.Desk{Owner: p.id, Rule: p.rule, Resource: resources[i], Ledger: ledgers[i]}}
	}
	return desks, nil
}

// served returns the kinds that there can be copies of. A kind that is not served, or not as it has to be, never had any.
func (p *pass[O]) served(ctx context.Context, names []schema.GroupKind) ([]source.Kind, error) {
	var kinds []source.Kind
	var errs []error
	for _, name := range names {
		switch kind, err := p.parts.Resolver.ResolveKind(ctx, name); {
		case source.IsRefused(err):
		case err != nil:
			errs = append(errs, err)
		default:
			kinds = append(kinds, kind)
		}
	}
	return kinds, errors.Join(errs...)
}
