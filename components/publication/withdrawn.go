package publication

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// withdraw has a publication end whose service does not serve the kind any more, or is awaited by nobody: there are no copies to look at, but objects of
// consumers may have the finalizer, and related objects may have copies. A nil side is a service that cannot be reached.
func (p *publication) withdraw(service *side) {
	p.mu.Lock()
	if p.api != nil && p.api.isWithdrawn && p.service == service {
		p.mu.Unlock()
		return
	}
	if p.stream != nil {
		go p.stream.Close() // it waits for an event that may wait for the lock
	}
	p.api, p.isRenewed, p.service, p.stream = &api{isWithdrawn: true}, false, service, nil
	p.copies = newCopies(p.offer.marks, p.copyChanged, p.emptied.enqueue)
	consumers := slices.Collect(maps.Values(p.consumers))
	p.mu.Unlock()
	for _, c := range consumers {
		c.addAll()
	}
}

// withdrawnFrom returns the cluster of a service that is to be withdrawn, since the kind cannot be offered for that reason; false: it is to be waited for.
func (p *publication) withdrawnFrom(o *offer, wrong *problem) (*side, bool) {
	service, err := p.engine.sides.get(o.spec.Service.Cluster)
	if err != nil {
		service = nil
	}
	switch {
	case !o.deleting:
		return nil, false
	case p.isServiceAbandoned(o) && (wrong != nil || service.unreachable() != nil):
		return nil, true
	default:
		return service, wrong != nil && wrong.reason == v1alpha1.ReasonServiceNotFound
	}
}

func (p *publication) isServiceAbandoned(o *offer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.abandoned, o.spec.Service.Cluster)
}

// started waits until the copies are known.
func (v view) started(ctx context.Context) error {
	if v.api.isWithdrawn {
		return nil
	}
	return v.stream.WaitForStart(ctx)
}

// consumerKind is the kind as consumers see it.
func (o *offer) consumerKind() schema.GroupKind {
	kind := groupKind(o.spec.Service.Resource.Group, o.spec.Service.Resource.Kind)
	if o.spec.Projection.Group != "" {
		kind.Group = o.spec.Projection.Group
	}
	if o.spec.Projection.Kind != "" {
		kind.Kind = o.spec.Projection.Kind
	}
	return kind
}
