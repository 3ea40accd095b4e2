package projector

import (
	"context"
	"errors"
	"fmt"
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
	kinds, hidden := p.parts.Resolver.Existing(ctx, earlier)
	current, err = p.open(ctx, append([]source.Kind{p.kind}, kinds...))
	if err == nil {
		p.desks = current
	}
	if hidden != nil {
		hidden = p.waits(hidden, "take it off the annotation "+v1.AnnotationWrittenKinds)
	}
	p.blind = errors.Join(hidden, err)
	return nil
}

// waits adds to an error about a kind that is not served what became of the copies, and how people can give them up.
func (p *pass[O]) waits(err error, giveUp string) error {
	if _, notServed := errors.AsType[*source.NotServedError](err); notServed {
		return fmt.Errorf("%w; its copies are kept and the rule waits: serve the kind again, or %s to give them up", err, giveUp)
	}
	return err
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
		desks[i] = desk{kind: kind, Desk: destination.Desk{Owner: p.id, Rule: p.before, Resource: resources[i], Ledger: ledgers[i]}}
	}
	return desks, nil
}
