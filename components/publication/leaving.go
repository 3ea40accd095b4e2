package publication

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/destination"
)

// defineLeaving drops a consumer of which nothing is left, with its definition.
func (c *consumer) defineLeaving(ctx context.Context, v view, ready bool, at *side) ending {
	if !ready {
		return ending{result: &result{}} // all consumers are looked at when the kind of the service is known
	}
	if at != nil && c.identity() == "" {
		c.setIdentity(at.identity)
	}
	if !c.isGone(ctx, v) {
		return ending{result: &result{}, after: settleTime, why: down}
	}
	left, err := c.objectsLeft(ctx, v, at)
	if err != nil {
		return failedDefinition(v1alpha1.ReasonUnreachable, fmt.Sprintf("it is not known what is left in %s: %s", at, messageOf(err)), true)
	}
	for _, key := range left {
		c.add(key, down)
	}
	if len(left) > 0 {
		return ending{result: &result{}, after: settleTime, why: down}
	}
	if at != nil && at.unreachable() == nil && !v.api.isWithdrawn {
		if err := c.p.removeDefinition(ctx, at, v.offer, v.api); err != nil {
			logError(ctx, err, "The definition of a former consumer stays", c.p.name)
		}
	}
	c.p.drop(c)
	return ending{keep: true}
}

// isGone reports whether nothing is known to be left of the consumer.
func (c *consumer) isGone(ctx context.Context, v view) bool {
	if v.started(ctx) != nil || len(v.copies.inCluster(c.identity())) > 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return hasOnlyDefinition(c.why) && hasOnlyDefinition(c.busy) && hasOnlyDefinition(c.results)
}

func hasOnlyDefinition[V any](of map[types.NamespacedName]V) bool {
	for key := range of {
		if key != definitionKey {
			return false
		}
	}
	return true
}

// isAbandonedOrUndeclared reports whether nobody waits for the cluster.
func (c *consumer) isAbandonedOrUndeclared(ctx context.Context) bool {
	_, err := c.p.engine.sides.declared(ctx, c.cluster)
	return apierrors.IsNotFound(err) || c.isAbandoned()
}

// objectsLeft asks both clusters which objects of the consumer have the finalizer, or copies of related objects, also such as an earlier process has written.
func (c *consumer) objectsLeft(ctx context.Context, v view, at *side) (left []types.NamespacedName, err error) {
	spec := v.offer.spec
	ofConsumer, err := c.p.engine.sides.declared(ctx, c.cluster)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	ofService, err := c.p.engine.sides.declared(ctx, spec.Service.Cluster)
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	isLost := at.unreachable() != nil
	switch {
	case !isLost:
		if left, err = v.finalized(ctx, at, ofConsumer); err != nil {
			return nil, err
		}
	case (spec.Deletion.Wait || len(spec.Related) > 0) && !c.isAbandonedOrUndeclared(ctx):
		return nil, errNotConnected
	}
	for _, of := range spec.Related {
		to, in, direction := v.service, ofService, v1alpha1.Push
		if of.Origin == v1alpha1.OriginService {
			to, in, direction = at, ofConsumer, v1alpha1.Pull
		}
		isOut := in.outOfScope(groupKind(of.Resource.Group, of.Resource.Kind), direction) != ""
		if isOut || to == nil || to == at && isLost {
			continue // it is not ours to touch, or nobody waits for it
		}
		found, err := c.relatedTo(ctx, v, of, to)
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
	}
	return left, nil
}

// finalized returns the objects with the finalizer.
func (v view) finalized(ctx context.Context, at *side, of declared) (left []types.NamespacedName, err error) {
	if of.outOfScope(v.offer.consumerKind(), v1alpha1.Pull) != "" {
		return nil, nil
	}
	kind, err := at.kindOf(ctx, v.offer.consumerKind())
	if errors.Is(err, errNotServed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = eachOf(ctx, at.Metadata.Resource(kind.GroupVersionResource), "", func(object *metav1.PartialObjectMetadata) {
		if slices.Contains(object.Finalizers, v1.FinalizerPublished) {
			left = append(left, placeOf(object))
		}
	})
	return left, err
}

// relatedTo returns the objects of the consumer that have copies of related objects in the cluster.
func (c *consumer) relatedTo(ctx context.Context, v view, of v1alpha1.RelatedResource, to *side) (left []types.NamespacedName, err error) {
	kind, err := to.kindOf(ctx, groupKind(of.Resource.Group, of.Resource.Kind))
	if errors.Is(err, errNotServed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = eachOf(ctx, to.Metadata.Resource(kind.GroupVersionResource), v.offer.marks.label(), func(object *metav1.PartialObjectMetadata) {
		if origin, _, found := originOf(object); found && origin.Cluster == c.identity() && v.offer.marks.own(object) {
			left = append(left, origin.key())
		}
	})
	return left, err
}

// eachOf calls the function with the metadata of each object that has the label.
func eachOf(ctx context.Context, objects metadata.Getter, label string, do func(*metav1.PartialObjectMetadata)) error {
	return destination.EachPage(func(next string) (*metav1.PartialObjectMetadataList, error) {
		return objects.List(ctx, metav1.ListOptions{LabelSelector: label, Limit: pageSize, Continue: next})
	}, do)
}

// pageSize is how many objects one answer has.
const pageSize = 500

// drop forgets a consumer.
func (p *publication) drop(c *consumer) {
	p.mu.Lock()
	if p.consumers[c.cluster] == c {
		delete(p.consumers, c.cluster)
		p.dropped[c.cluster] = p.offer.deleting
	}
	p.mu.Unlock()
	c.close()
	p.engine.enqueue(p.name, 0)
}
