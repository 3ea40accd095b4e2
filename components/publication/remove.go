package publication

import (
	"context"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

type uidOf = types.UID

// isOurs reports whether the key of a label or annotation is one that only the operator writes.
func isOurs(key string) bool {
	return strings.HasPrefix(key, v1.Domain+"/") && key != v1.AnnotationAdoptableBy
}

// remove removes the copy of an object that is not to be copied, then what is related to it, and then the finalizer of the object. Nil: the object does not
// exist.
func (p *pass) remove(ctx context.Context, object *unstructured.Unstructured, known entry, hasCopy bool) ending {
	if hasCopy {
		if err := p.endCopy(ctx, known); err != nil {
			return p.removeFailed(ctx, object, p.service.sentence(err), err)
		}
		if p.offer.spec.Deletion.Policy != v1alpha1.DeletionOrphan { // the event of its end goes on
			return ending{result: &result{accepted: object == nil || !p.leaving, suspended: true}, after: p.releaseIn(object), why: down}
		}
	}
	if err := p.endRelated(ctx); err != nil {
		return p.removeFailed(ctx, object, messageOf(err), err)
	}
	if object != nil {
		if err := p.keepFinalizer(ctx, object, false); err != nil && !p.abandoned {
			return p.removeFailed(ctx, object, p.at.sentence(err), err)
		}
	}
	p.c.p.ended(p.c)
	return ending{}
}

// removeFailed lets the object go if it has waited for long enough.
func (p *pass) removeFailed(ctx context.Context, object *unstructured.Unstructured, sentence string, err error) ending {
	if object != nil && p.service.unreachable() != nil && p.isReleased(object) && !p.abandoned {
		if err := p.keepFinalizer(ctx, object, false); err == nil {
			return ending{result: &result{problem: &problem{reason: v1alpha1.ReasonUnreachable, message: sentence}, suspended: true}}
		}
	}
	end := p.failed(ctx, nil, sentence, err)
	if wait := p.releaseIn(object); wait > 0 {
		p.c.addAfter(p.key, down, wait)
	}
	return end
}

// releaseIn returns after how long the object waits no longer for the service; 0: it does not, or for ever.
func (p *pass) releaseIn(object *unstructured.Unstructured) time.Duration {
	after := p.offer.spec.Deletion.ReleaseAfter()
	if object == nil || object.GetDeletionTimestamp() == nil || after == 0 || !slices.Contains(object.GetFinalizers(), v1.FinalizerPublished) {
		return 0
	}
	return max(time.Millisecond, object.GetDeletionTimestamp().Add(after).Sub(p.c.p.engine.options.Clock.Now()))
}

func (p *pass) isReleased(object *unstructured.Unstructured) bool {
	after := p.offer.spec.Deletion.ReleaseAfter()
	return after > 0 && object.GetDeletionTimestamp() != nil && p.c.p.engine.options.Clock.Since(object.GetDeletionTimestamp().Time) >= after
}

// replace deletes a copy that is that of an earlier object of the same name. The event of its end goes on.
func (p *pass) replace(ctx context.Context, object *unstructured.Unstructured, known entry) ending {
	if err := p.endCopy(ctx, known); err != nil {
		return p.failed(ctx, object, p.service.sentence(err), err)
	}
	return ending{result: &result{accepted: true, suspended: true}}
}

// endCopy deletes the copy, as the one object that it was when it was seen as ours, or makes it an ordinary object.
func (p *pass) endCopy(ctx context.Context, known entry) error {
	if known.terminating {
		return nil
	}
	if err := p.outOfNamespaces(known.at.Namespace); err != nil {
		return err
	}
	client := p.inService(known.at.Namespace)
	if p.offer.spec.Deletion.Policy == v1alpha1.DeletionOrphan {
		_, err := client.Patch(p.asService(ctx), known.at.Name, types.MergePatchType, p.release(known), metav1.PatchOptions{FieldManager: fieldManager})
		if apierr.IsObjectNotFound(err, known.at.Name) {
			err = nil
		}
		if err == nil {
			p.copies.forget(known.at, known.uid)
		}
		return err
	}
	err := client.Delete(p.asService(ctx), known.at.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &known.uid, ResourceVersion: &known.resourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
	if apierr.IsObjectNotFound(err, known.at.Name) {
		p.copies.forget(known.at, known.uid)
		return nil
	}
	return err
}

// release is the patch that makes a copy an ordinary object.
func (p *pass) release(known entry) []byte {
	annotations := map[string]any{}
	for _, key := range []string{v1.AnnotationOwnedByRemote, v1.AnnotationOrigin, v1.AnnotationOriginUID, v1.AnnotationContentHash, v1.AnnotationPlace} {
		annotations[key] = nil
	}
	return mustMarshal(map[string]any{metadataField: map[string]any{
		"uid": known.uid, "resourceVersion": known.resourceVersion, "annotations": annotations, "labels": map[string]any{p.offer.marks.label(): nil},
	}})
}

// ended has a consumer that leaves look whether anything is left.
func (p *publication) ended(c *consumer) {
	if c.isLeaving() {
		c.addAfter(definitionKey, down, statusDelay)
	}
}
