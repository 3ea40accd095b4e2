package publication

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/mutations"
	"projection.sh/operator/mutations/paths"
)

// relatedCopy is the copy of a related object as the operator has written it.
type relatedCopy struct {
	side string
	kind string
	at   types.NamespacedName
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
	hash := mutations.ContentHash(wanted)
	annotations := wanted.GetAnnotations()
	annotations[v1.AnnotationOrigin], annotations[v1.AnnotationOriginUID] = p.origin.String(), string(uid)
	wanted.SetAnnotations(annotations)

	key := relatedCopy{to.side.name, to.kind.kind().String(), pair.to}
	known := p.c.writtenRelated(key)
	client := to.Content.Resource(to.GroupVersionResource).Namespace(pair.to.Namespace)
	ctx = impersonate.As(ctx, to.user)
	on := known.resourceVersion
	if known.hash == hash || on == "" { // the copy may have changed
		live, err := client.Get(ctx, pair.to.Name, metav1.GetOptions{})
		switch {
		case apierr.IsObjectNotFound(err, pair.to.Name):
			on = createOnly
		case err != nil:
			return nil, err
		case !p.ownsRelated(live):
			return &problem{v1alpha1.ReasonNameConflict, fmt.Sprintf("the copy of the related %s would be %s in %s, which exists and is not that of this object; "+
				"it is left alone", source.GetKind(), pair.to, to.side), true}, nil
		case contains(live.Object, wanted.Object) && live.GetAnnotations()[v1.AnnotationContentHash] == hash:
			p.c.wroteRelated(key, writtenRelated{hash, live.GetResourceVersion()})
			return nil, nil
		default:
			on = live.GetResourceVersion()
		}
	}
	wanted.SetResourceVersion(on)
	written, err := client.Apply(ctx, pair.to.Name, wanted, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		p.c.wroteRelated(key, writtenRelated{})
		return nil, err
	}
	to.sources.ObserveRead(to.GroupVersionResource, written)
	p.c.wroteRelated(key, writtenRelated{hash, written.GetResourceVersion()})
	return nil, nil
}

// ownsRelated reports whether the object is a copy that belongs to the object of this pass.
func (p *pass) ownsRelated(object *unstructured.Unstructured) bool {
	origin, _, found := originOf(object)
	return found && origin == p.origin && p.offer.marks.own(object)
}

// endRelatedCopy deletes the copy of a related object, or makes it an ordinary object.
func (p *pass) endRelatedCopy(ctx context.Context, of v1alpha1.RelatedResource, to relatedSide, live *unstructured.Unstructured) error {
	client := to.Content.Resource(to.GroupVersionResource).Namespace(live.GetNamespace())
	ctx = impersonate.As(ctx, to.user)
	known, _ := stateOf(live, p.offer.marks)
	p.c.wroteRelated(relatedCopy{to.side.name, to.kind.kind().String(), placeOf(live)}, writtenRelated{})
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

// pruneRelated ends the copies of related objects that the object does not name any more.
func (p *pass) pruneRelated(ctx context.Context, pairs []pair) error {
	kept := map[relatedCopy]bool{}
	for _, pair := range pairs {
		_, to, err := p.sidesOf(ctx, p.offer.spec.Related[pair.index])
		if err != nil {
			return err
		}
		kept[relatedCopy{to.side.name, to.kind.kind().String(), pair.to}] = true
	}
	// Copies in the cluster of the service are ended first: what the service has may depend on those of the consumer.
	for _, origin := range []v1alpha1.RelatedOrigin{v1alpha1.OriginConsumer, v1alpha1.OriginService} {
		for _, of := range p.offer.spec.Related {
			if of.Origin != origin {
				continue
			}
			if err := p.pruneKind(ctx, of, kept); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pass) pruneKind(ctx context.Context, of v1alpha1.RelatedResource, kept map[relatedCopy]bool) error {
	_, to, err := p.sidesOf(ctx, of)
	if err != nil {
		return err
	}
	list, err := to.Content.Resource(to.GroupVersionResource).List(impersonate.As(ctx, to.user), metav1.ListOptions{LabelSelector: p.offer.marks.label()})
	if err != nil {
		return err
	}
	for i := range list.Items {
		live := &list.Items[i]
		if kept[relatedCopy{to.side.name, to.kind.kind().String(), placeOf(live)}] || !p.ownsRelated(live) {
			continue
		}
		if err := p.endRelatedCopy(ctx, of, to, live); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// endRelated ends all copies of related objects of an object that is not copied any more.
func (p *pass) endRelated(ctx context.Context) error {
	if len(p.offer.spec.Related) == 0 {
		return nil
	}
	if p.at == nil || p.abandoned && p.at.unreachable() != nil {
		return nil //nolint:nilerr // nobody waits for what is there
	}
	if err := p.pruneRelated(ctx, nil); err != nil {
		return err
	}
	p.c.mu.Lock()
	delete(p.c.pairs, p.key)
	p.c.mu.Unlock()
	for _, side := range []*side{p.at, p.service} {
		side.sources.Forget(p.c.ruleKey(p.key))
	}
	return nil
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

// stringsAt returns the texts at the path, in their order.
func stringsAt(content map[string]any, path paths.Path) (texts []string) {
	var collect func(value any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			if value != "" {
				texts = append(texts, value)
			}
		case []any:
			for _, element := range value {
				collect(element)
			}
		}
	}
	for _, value := range valuesAt(content, path.Steps()) {
		collect(value)
	}
	return texts
}

// valuesAt returns the values that the steps lead to.
func valuesAt(value any, steps []paths.Step) []any {
	if len(steps) == 0 {
		return []any{value}
	}
	step := steps[0]
	if step.Field != "" {
		fields, isMap := value.(map[string]any)
		inner, has := fields[step.Field]
		if !isMap || !has {
			return nil
		}
		return valuesAt(inner, steps[1:])
	}
	elements, _ := value.([]any)
	var found []any
	for _, element := range elements {
		fields, _ := element.(map[string]any)
		if !slices.ContainsFunc(step.Where, func(c paths.Condition) bool { return !c.HoldsFor(fields[c.Key]) }) {
			found = append(found, valuesAt(element, steps[1:])...)
		}
	}
	return found
}
