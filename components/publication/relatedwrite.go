package publication

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/mutations"
)

// relatedCopy is the copy of a related object, as the operator has written it for an object.
type relatedCopy struct {
	relatedPlace

	origin Origin // of the published object
}

// writtenRelated is what was written last.
type writtenRelated struct{ hash, resourceVersion string }

// copyRelated brings the copy of a related object up to date. A problem says that something else is in its place.
func (p *pass) copyRelated(ctx context.Context, uid types.UID, source *unstructured.Unstructured, to relatedSide, pair pair) (*problem, error) {
	if isMarked(source) {
		return &problem{v1alpha1.ReasonRelatedFailed, fmt.Sprintf("the %s %s is a copy itself, and is not copied", source.GetKind(), pair.from), true}, nil
	}
	wanted, err := renderWith(source, pair.to, to.kind.kind(), mutations.Input{Kind: to.kind.kind().GroupKind(), Stamp: p.offer.marks.stamp()})
	if err != nil {
		return nil, err
	}
	p.mark(wanted, p.origin, uid)
	for try := 1; ; try++ {
		wrong, err := p.writeRelated(ctx, wanted, to, pair)
		if !apierrors.IsConflict(err) || try == maxTries {
			return wrong, err
		}
	}
}

// mark notes in the copy of a related object for which object it was written first.
func (p *pass) mark(wanted *unstructured.Unstructured, origin Origin, uid types.UID) {
	annotations := wanted.GetAnnotations()
	annotations[v1.AnnotationOrigin], annotations[v1.AnnotationOriginUID] = origin.String(), string(uid)
	wanted.SetAnnotations(annotations)
}

// writeRelated writes the copy on the version that is known, unless it is as it should be.
func (p *pass) writeRelated(ctx context.Context, wanted *unstructured.Unstructured, to relatedSide, pair pair) (*problem, error) {
	key := relatedCopy{to.place(pair.to), p.origin}
	known, hash := p.c.writtenRelated(key), wanted.GetAnnotations()[v1.AnnotationContentHash]
	client := to.Content.Resource(to.GroupVersionResource).Namespace(pair.to.Namespace)
	ctx = impersonate.As(ctx, to.user)
	on := known.resourceVersion
	if known.hash == hash || on == "" { // the copy may have changed
		live, err := client.Get(ctx, pair.to.Name, metav1.GetOptions{})
		if apierr.IsObjectNotFound(err, pair.to.Name) {
			live, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
		if wrong := p.claim(live, wanted, to, pair); wrong != nil {
			return wrong, nil
		}
		if on = versionOf(live); live != nil && contains(live.Object, wanted.Object) {
			p.c.wroteRelated(key, writtenRelated{hash, on})
			return nil, nil
		}
	}
	intent := wanted.DeepCopy()
	intent.SetResourceVersion(on)
	written, err := client.Apply(ctx, pair.to.Name, intent, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		p.c.wroteRelated(key, writtenRelated{})
		return nil, err
	}
	to.sources.ObserveRead(to.GroupVersionResource, written)
	p.c.wroteRelated(key, writtenRelated{hash, written.GetResourceVersion()})
	return nil, nil
}

// versionOf returns on what a copy is written that was read; nil: it does not exist.
func versionOf(live *unstructured.Unstructured) string {
	if live == nil {
		return createOnly
	}
	return live.GetResourceVersion()
}

// ownsRelated reports whether the object is a copy that was written for the object of this pass.
func (p *pass) ownsRelated(object *unstructured.Unstructured) bool {
	origin, _, found := originOf(object)
	return found && origin == p.origin && p.offer.marks.own(object)
}

// endRelatedCopy deletes the copy of a related object, or makes it an ordinary object.
func (p *pass) endRelatedCopy(ctx context.Context, of v1alpha1.RelatedResource, to relatedSide, live *unstructured.Unstructured) error {
	client := to.Content.Resource(to.GroupVersionResource).Namespace(live.GetNamespace())
	ctx = impersonate.As(ctx, to.user)
	known, _ := stateOf(live, p.offer.marks)
	p.c.wroteRelated(relatedCopy{to.place(placeOf(live)), p.origin}, writtenRelated{})
	var err error
	if of.WhenOriginGone == v1alpha1.OriginGoneKeep {
		_, err = client.Patch(ctx, live.GetName(), types.MergePatchType, p.release(entry{state: known}), metav1.PatchOptions{FieldManager: fieldManager})
	} else {
		err = client.Delete(ctx, live.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &known.uid, ResourceVersion: &known.resourceVersion}})
	}
	if apierr.IsObjectNotFound(err, live.GetName()) {
		return nil
	}
	return err
}

func (c *consumer) writtenRelated(key relatedCopy) writtenRelated {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.related[key]
}

func (c *consumer) wroteRelated(key relatedCopy, written writtenRelated) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if written == (writtenRelated{}) {
		delete(c.related, key)
		return
	}
	c.related[key] = written
}
