package publication

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/impersonate"
)

// pruneRelated ends the copies of related objects that the object does not name any more, and notes those that it names. A copy that another object names
// as well is left to that.
func (p *pass) pruneRelated(ctx context.Context, pairs []pair) error {
	kept := map[relatedPlace]bool{}
	for _, pair := range pairs {
		_, to, err := p.sidesOf(ctx, pair.of)
		if err != nil {
			return err
		}
		kept[to.place(pair.to)] = true
	}
	var sharing []types.NamespacedName
	for _, of := range p.formerRelated() {
		others, err := p.pruneKind(ctx, of, kept)
		if err != nil {
			return err
		}
		sharing = append(sharing, others...)
	}
	p.c.setPairs(p.key, pairs)
	for _, key := range sharing {
		p.c.add(key, down)
	}
	return nil
}

// formerRelated returns the entries that the object may have copies of. Copies in the cluster of the service are ended first: what the service has may depend
// on those of the consumer.
func (p *pass) formerRelated() []v1alpha1.RelatedResource {
	entries := slices.Clone(p.offer.spec.Related)
	for _, pair := range p.c.pairsOf(p.key) {
		if !slices.ContainsFunc(entries, func(of v1alpha1.RelatedResource) bool {
			return of.Origin == pair.of.Origin && of.Resource == pair.of.Resource
		}) {
			entries = append(entries, pair.of)
		}
	}
	slices.SortStableFunc(entries, func(a, b v1alpha1.RelatedResource) int { return rank(a.Origin) - rank(b.Origin) })
	return entries
}

func rank(origin v1alpha1.RelatedOrigin) int {
	if origin == v1alpha1.OriginConsumer {
		return 0
	}
	return 1
}

// pruneKind ends the copies of an entry that are not kept, and returns the objects to which some are left.
func (p *pass) pruneKind(ctx context.Context, of v1alpha1.RelatedResource, kept map[relatedPlace]bool) (sharing []types.NamespacedName, err error) {
	if p.isLost(of.Origin) {
		return nil, nil
	}
	to, err := p.sideOf(ctx, of, of.Origin != v1alpha1.OriginService)
	if _, isOutOfScope := errors.AsType[*problem](err); isOutOfScope || errors.Is(err, errNotServed) {
		return nil, nil // there is nothing, or it is not ours to touch
	}
	if err != nil {
		return nil, err
	}
	list, err := to.Content.Resource(to.GroupVersionResource).List(impersonate.As(ctx, to.user), metav1.ListOptions{LabelSelector: p.offer.marks.label()})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		live := &list.Items[i]
		if kept[to.place(placeOf(live))] || !p.ownsRelated(live) {
			continue
		}
		if others := p.c.others(p.key, of, placeOf(live)); len(others) > 0 {
			sharing = append(sharing, others...)
			continue
		}
		if err := p.endRelatedCopy(ctx, of, to, live); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return sharing, nil
}

// endRelated ends all copies of related objects of an object that is not copied any more.
func (p *pass) endRelated(ctx context.Context) error {
	if len(p.offer.spec.Related) == 0 && len(p.c.pairsOf(p.key)) == 0 {
		return nil
	}
	if err := p.pruneRelated(ctx, nil); err != nil {
		return err
	}
	for _, side := range []*side{p.at, p.service} {
		if side != nil {
			side.sources.Forget(p.c.ruleKey(p.key))
		}
	}
	return nil
}

// isLost reports whether nobody waits for the cluster with the copies of what has that origin, and it cannot be reached.
func (p *pass) isLost(origin v1alpha1.RelatedOrigin) bool {
	if origin == v1alpha1.OriginService {
		return p.abandoned && p.at.unreachable() != nil
	}
	return p.service == nil // it is withdrawn
}
