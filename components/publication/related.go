package publication

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/watch"
)

// pair is a related object, and where its copy is.
type pair struct {
	of       v1alpha1.RelatedResource // as spec.related had it then
	from, to types.NamespacedName
}

// relatedSide is one side of an entry of spec.related.
type relatedSide struct {
	*side
	kind

	user impersonate.User
}

func (s relatedSide) at(namespace string) interface {
	Get(ctx context.Context, name string, options metav1.GetOptions, subresources ...string) (*unstructured.Unstructured, error)
} {
	return s.Content.Resource(s.GroupVersionResource).Namespace(namespace)
}

// sidesOf returns the side of the origin of an entry, and the other one.
func (p *pass) sidesOf(ctx context.Context, of v1alpha1.RelatedResource) (from, to relatedSide, err error) {
	if from, err = p.sideOf(ctx, of, of.Origin == v1alpha1.OriginService); err != nil {
		return from, to, err
	}
	to, err = p.sideOf(ctx, of, of.Origin != v1alpha1.OriginService)
	return from, to, err
}

// sideOf returns the side of the service, or of the consumer, as related objects of an entry are read and written there.
func (p *pass) sideOf(ctx context.Context, of v1alpha1.RelatedResource, isService bool) (s relatedSide, err error) {
	s = relatedSide{side: p.at, user: p.ofConsumer.user()}
	if isService {
		s = relatedSide{side: p.service, user: p.ofService.user()}
	}
	if s.side == nil {
		return s, errNotConnected
	}
	kind := groupKind(of.Resource.Group, of.Resource.Kind)
	if err := p.inScope(kind, isService); err != nil {
		return s, err
	}
	if s.kind, err = s.kindOf(ctx, kind); err != nil {
		return s, fmt.Errorf("%s in %s: %w", of.Resource.Kind, s, err)
	}
	if !s.namespaced {
		return s, &renderError{fmt.Errorf("related: %s is not namespaced", of.Resource.Kind)}
	}
	return s, nil
}

// pairs returns the related objects that the object names, by the copy as it is to be.
func (p *pass) pairs(object, copied *unstructured.Unstructured) (pairs []pair) {
	for i, of := range p.offer.spec.Related {
		inConsumer, inService := stringsAt(object.Object, p.offer.related[i]), stringsAt(copied.Object, p.offer.related[i])
		for n := range min(len(inConsumer), len(inService)) {
			next := pair{
				of, types.NamespacedName{Namespace: object.GetNamespace(), Name: inConsumer[n]},
				types.NamespacedName{Namespace: copied.GetNamespace(), Name: inService[n]},
			}
			if of.Origin == v1alpha1.OriginService {
				next.from, next.to = next.to, next.from
			}
			pairs = append(pairs, next)
		}
	}
	return pairs
}

// awaitRelated returns a problem if the object has to wait for a related one.
func (p *pass) awaitRelated(ctx context.Context, object *unstructured.Unstructured, hasCopy bool) (*problem, error) {
	for i, of := range p.offer.spec.Related {
		if !of.Required || hasCopy {
			continue
		}
		from, _, err := p.sidesOf(ctx, of)
		if err != nil {
			return nil, err
		}
		for _, name := range stringsAt(object.Object, p.offer.related[i]) {
			at := watch.SourceOf{Kind: from.GroupVersionResource, Namespace: object.GetNamespace(), Name: name}
			if err := from.sources.Add(ctx, p.c.ruleKey(p.key), at); err != nil {
				return nil, err
			}
			_, err := from.Metadata.Resource(from.GroupVersionResource).Namespace(at.Namespace).Get(ctx, name, metav1.GetOptions{})
			if apierr.IsObjectNotFound(err, name) {
				return &problem{
					v1alpha1.ReasonRelatedMissing, fmt.Sprintf("it waits for the %s %s/%s, which does not exist", of.Resource.Kind, at.Namespace, name), true,
				}, nil
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// bringRelated brings the copies of the related objects up to date, and removes those of others.
func (p *pass) bringRelated(ctx context.Context, object, copied *unstructured.Unstructured) *problem {
	pairs := p.pairs(object, copied)
	known := p.c.pairsOf(p.key)
	if len(p.offer.spec.Related) == 0 && len(known) == 0 {
		return nil
	}
	if err := p.follow(ctx, pairs); err != nil {
		return p.relatedFailed(err)
	}
	if known == nil || !slices.Equal(known, pairs) {
		if err := p.pruneRelated(ctx, pairs); err != nil {
			return p.relatedFailed(err)
		}
	}
	return p.bringPairs(ctx, object.GetUID(), pairs)
}

// follow has the object looked at when one of the related objects, or a copy of one, changes.
func (p *pass) follow(ctx context.Context, pairs []pair) error {
	bySide := map[*side][]watch.SourceOf{p.at: nil, p.service: nil}
	for _, pair := range pairs {
		from, to, err := p.sidesOf(ctx, pair.of)
		if err != nil {
			return err
		}
		bySide[from.side] = append(bySide[from.side], watch.SourceOf{Kind: from.GroupVersionResource, Namespace: pair.from.Namespace, Name: pair.from.Name})
		bySide[to.side] = append(bySide[to.side], watch.SourceOf{Kind: to.GroupVersionResource, Namespace: pair.to.Namespace, Name: pair.to.Name})
	}
	for side, sources := range bySide {
		if err := side.sources.WatchAll(ctx, p.c.ruleKey(p.key), sources...); err != nil {
			return err
		}
	}
	return nil
}

// bringPairs brings the copies of these related objects up to date.
func (p *pass) bringPairs(ctx context.Context, uid types.UID, pairs []pair) *problem {
	for _, pair := range pairs {
		from, to, err := p.sidesOf(ctx, pair.of)
		if err != nil {
			return p.relatedFailed(err)
		}
		source, err := from.at(pair.from.Namespace).Get(impersonate.As(ctx, from.user), pair.from.Name, metav1.GetOptions{})
		switch {
		case apierr.IsObjectNotFound(err, pair.from.Name):
			err = p.relatedGone(ctx, from, to, pair)
		case err == nil:
			from.sources.ObserveRead(from.GroupVersionResource, source)
			wrong, failure := p.copyRelated(ctx, uid, source, to, pair)
			if wrong != nil {
				return wrong
			}
			err = failure
		}
		if err != nil {
			return p.relatedFailed(err)
		}
	}
	return nil
}

// relatedGone ends the copy of a related object that does not exist any more.
func (p *pass) relatedGone(ctx context.Context, from, to relatedSide, pair pair) error {
	live, err := to.at(pair.to.Namespace).Get(impersonate.As(ctx, to.user), pair.to.Name, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, pair.to.Name) {
		return nil
	}
	if err != nil || !p.ownsRelated(live) {
		return err
	}
	if err := from.sure(ctx); err != nil { // not that the object of another cluster is missing
		return err
	}
	return p.endRelatedCopy(ctx, pair.of, to, live)
}

// relatedFailed returns why a related object could not be copied. Nothing of a Secret is quoted.
func (p *pass) relatedFailed(err error) *problem {
	if known, is := errors.AsType[*problem](err); is {
		return known
	}
	wrong := &problem{v1alpha1.ReasonRelatedFailed, "a related object could not be copied: " + messageOf(apierr.RedactSecret(err)), apierr.IsTerminal(err)}
	if apierrors.IsConflict(err) {
		wrong.message, wrong.stalled = "a related object was changed at the same time", false
	}
	if isRenderError(err) || errors.Is(err, errNotServed) {
		wrong.stalled = true
	}
	return wrong
}
