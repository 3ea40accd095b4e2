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

// take finds out which copies there are: of the source's kind and of those that the rule named earlier. A recorded kind
// that is not served any more has no objects, and is passed over.
func (p *pass[O]) take(ctx context.Context) error {
	desks, err := p.stock(ctx, recordedKinds(p.rule))
	if err != nil {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
	}
	current := func(d desk) bool { return d.kind.GroupKind() == p.kind.GroupKind() }
	if i := slices.IndexFunc(desks, current); i > 0 {
		desks[0], desks[i] = desks[i], desks[0]
	}
	p.desks = desks
	return nil
}

func (p *pass[O]) stock(ctx context.Context, recorded []schema.GroupKind) ([]desk, error) {
	kinds := make([]source.Kind, 0, len(recorded))
	resources := make([]schema.GroupVersionResource, 0, len(recorded))
	var errs []error
	for _, name := range recorded {
		kind, err := p.served(ctx, name)
		switch {
		case source.IsAbsent(err):
			continue
		case err != nil:
			errs = append(errs, err)
			continue
		}
		kinds = append(kinds, kind)
		resources = append(resources, kind.GroupVersionResource())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	ledgers, err := p.parts.Inventory.Hold(ctx, p.waker, resources...)
	if err != nil {
		return nil, err
	}
	desks := make([]desk, len(kinds))
	for i, kind := range kinds {
		desks[i] = desk{kind: kind, Desk: destination.Desk{
			Owner: p.id, Rule: p.rule, Resource: kind.GroupVersionResource(), Ledger: ledgers[i],
		}}
	}
	return desks, nil
}

// served returns the kind in the version of the source if it is the source's, else in the preferred version.
func (p *pass[O]) served(ctx context.Context, name schema.GroupKind) (source.Kind, error) {
	if p.kind.GroupKind() == name {
		return p.kind, nil
	}
	return p.parts.Resolver.ResolveKind(ctx, name)
}
