package publication

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/expressions"
)

// pass is one look at an object of a consumer.
type pass struct {
	view

	c                     *consumer
	at                    *side // the consumer's cluster
	key                   types.NamespacedName
	origin                Origin
	target                expressions.Target
	ofConsumer, ofService declared
	leaving               bool
	abandoned             bool // nobody waits for the cluster of the consumer
}

// pass brings everything up to date that belongs to an object.
func (c *consumer) pass(ctx context.Context, key types.NamespacedName, why reasons) ending {
	p, wrong := c.newPass(ctx, key)
	switch {
	case wrong != nil:
		return ending{result: &result{problem: wrong, accepted: true}, retry: !wrong.stalled}
	case p == nil:
		return ending{keep: true, retry: true}
	case p.offer.spec.Suspend && !p.offer.deleting || p.ofConsumer.paused() || p.ofService.paused():
		return ending{result: &result{accepted: true, suspended: true}}
	case why == up && !p.leaving: // the cluster of one that leaves may not be connected
		return p.bringStatus(ctx)
	case why == related && !p.leaving && c.hasPairs(key):
		return p.bringOnlyRelated(ctx)
	default:
		return p.bringDown(ctx)
	}
}

// hasPairs reports whether it is known which objects are related to the object.
func (c *consumer) hasPairs(key types.NamespacedName) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pairs[key] != nil && c.results[key] != nil && c.results[key].problem == nil
}

// bringOnlyRelated brings the copies of related objects up to date, without a look at the object.
func (p *pass) bringOnlyRelated(ctx context.Context) ending {
	known, hasCopy := p.copies.of(p.origin)
	if !hasCopy || known.terminating {
		return ending{keep: true}
	}
	p.c.mu.Lock()
	pairs := p.c.pairs[p.key]
	p.c.mu.Unlock()
	if wrong := p.bringPairs(ctx, known.originUID, pairs); wrong != nil {
		return p.told(ctx, p.reference(known.originUID), wrong, ending{retry: !wrong.stalled})
	}
	return ending{keep: true}
}

// bringDown reads the object, and brings its copy up to date.
func (p *pass) bringDown(ctx context.Context) ending {
	known, hasCopy := p.copies.of(p.origin)
	object, err := p.readSurely(ctx, hasCopy)
	if err != nil {
		return p.failed(ctx, nil, p.at.sentence(err), err)
	}
	if object == nil {
		return p.remove(ctx, nil, known, hasCopy)
	}
	p.c.finished(object)
	accepted, err := p.isAccepted(object)
	switch {
	case err != nil:
		return p.failed(ctx, object, err.Error(), err)
	case !accepted || object.GetDeletionTimestamp() != nil:
		return p.remove(ctx, object, known, hasCopy)
	case hasCopy && (known.terminating || known.originUID != object.GetUID()):
		return p.replace(ctx, object, known)
	}
	return p.copy(ctx, object, known, hasCopy)
}

func (p *pass) isAccepted(object *unstructured.Unstructured) (bool, error) {
	if p.leaving || !p.ofConsumer.permits(p.key.Namespace) {
		return false, nil
	}
	var labels map[string]string
	if p.offer.namespaces != nil {
		namespaces, err := p.c.namespaceLabels(p.key.Namespace)
		if err != nil {
			return false, err
		}
		labels = namespaces
	}
	return p.offer.accepts(object, labels, p.target)
}

// readSurely returns the object of the consumer as it is now; nil: it does not exist, or nobody waits for its cluster.
func (p *pass) readSurely(ctx context.Context, hasCopy bool) (*unstructured.Unstructured, error) {
	object, err := p.read(ctx)
	switch {
	case err != nil && p.leaving && p.abandoned:
		return nil, nil //nolint:nilnil // nobody waits for it
	case object == nil && err == nil && hasCopy && !p.leaving:
		return nil, p.at.sure(ctx) // not that the object of another cluster is missing
	}
	return object, err
}

// read returns the object of the consumer as it is now; nil: it does not exist.
func (p *pass) read(ctx context.Context) (*unstructured.Unstructured, error) {
	if p.at == nil {
		return nil, errNotConnected
	}
	if p.api.consumer.Resource == "" {
		return nil, nil //nolint:nilnil // the kind is not served, so it does not exist
	}
	object, err := p.objects().Get(p.asConsumer(ctx), p.key.Name, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, p.key.Name) {
		return nil, nil //nolint:nilnil // it does not exist
	}
	return object, err
}

// copy brings the copy of the object up to date, then its status, and what belongs to it.
func (p *pass) copy(ctx context.Context, object *unstructured.Unstructured, known entry, hasCopy bool) ending {
	if missing, err := p.awaitRelated(ctx, object, hasCopy); err != nil || missing != nil {
		if err != nil {
			return p.failed(ctx, object, p.at.sentence(err), err)
		}
		return p.told(ctx, object, missing, ending{})
	}
	if err := p.keepFinalizer(ctx, object, p.offer.spec.Deletion.Wait); err != nil {
		return p.failed(ctx, object, p.at.sentence(err), err)
	}
	at := known.at
	if !hasCopy {
		var err error
		if at, err = p.offer.placeFor(p.origin, object, p.target); err != nil {
			return p.failed(ctx, object, err.Error(), err)
		}
	}
	if err := p.outOfNamespaces(at.Namespace); err != nil {
		return p.failed(ctx, object, err.Error(), err)
	}
	wanted, hash, err := p.offer.render(object, p.origin, at, p.api.service.kind(), p.target)
	if err != nil {
		return p.failed(ctx, object, err.Error(), err)
	}
	wrong, err := p.bring(ctx, wanted, hash, known, hasCopy)
	switch {
	case wrong != nil:
		return p.told(ctx, object, wrong, ending{after: p.c.p.engine.options.Retry, why: down})
	case err != nil:
		return p.failed(ctx, object, p.service.sentence(err), err)
	case !hasCopy:
		p.tell(ctx, object, "Normal", v1alpha1.ReasonAccepted, "the object was accepted")
	}
	wrong = p.bringRelated(ctx, object, wanted)
	end := p.statusOf(ctx, object)
	if wrong == nil {
		return end
	}
	end.retry = end.retry || !wrong.stalled
	return p.told(ctx, object, wrong, end)
}

// bring writes the copy unless it is as it should be. A problem says that something else is in its place.
func (p *pass) bring(ctx context.Context, wanted *unstructured.Unstructured, hash string, known entry, hasCopy bool) (*problem, error) {
	if p.isInSync(known, hasCopy, wanted, hash) {
		p.copies.inSync(known.state)
		return nil, nil
	}
	return p.apply(ctx, wanted, known, hasCopy)
}

// isInSync reports whether the copy is as it should be.
func (p *pass) isInSync(known entry, hasCopy bool, wanted *unstructured.Unstructured, hash string) bool {
	if !hasCopy || known.hash != hash || known.labelled != string(p.offer.marks.uid) {
		return false
	}
	if known.written == 0 { // an earlier process has written it
		return known.fields != 0 && known.whole != nil && contains(known.whole.Object, wanted.Object)
	}
	return known.written == known.fields
}

func (c *consumer) namespaceLabels(namespace string) (map[string]string, error) {
	c.mu.Lock()
	watching := c.watching
	c.mu.Unlock()
	if watching == nil || watching.namespaces == nil {
		return nil, errNotConnected
	}
	if err := watching.namespaces.WaitForStart(watching.at.ctx); err != nil {
		return nil, err
	}
	return watching.labels.of(namespace), nil
}
