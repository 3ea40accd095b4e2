package publication

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

var (
	eventKind     = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	namespaceKind = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// maxTries is how often a copy is written while preconditions fail, since somebody else writes it as well.
const maxTries = 4

// apply writes the copy on the version that is known, or creates it. A problem says that something else is in its place.
func (p *pass) apply(ctx context.Context, wanted *unstructured.Unstructured, known entry, hasCopy bool) (*problem, error) {
	if other, taken := p.copies.occupant(placeOf(wanted), p.origin); taken {
		return p.taken(wanted, p.describe(other)), nil
	}
	on := createOnly
	if hasCopy {
		on = known.resourceVersion
	}
	for try := 1; ; try++ {
		err := p.send(ctx, wanted, on)
		switch {
		case apierr.IsObjectNotFound(err, wanted.GetNamespace()) && !hasCopy && try < maxTries:
			if wrong, err := p.createNamespace(ctx, wanted.GetNamespace()); wrong != nil || err != nil {
				return wrong, err
			}
			continue
		case apierr.IsObjectNotFound(err, wanted.GetName()) && try < maxTries: // it is gone
			on = createOnly
			continue
		case !apierrors.IsConflict(err) || try == maxTries:
			return nil, err
		}
		var wrong *problem
		if wrong, on, err = p.lookAgain(ctx, wanted); wrong != nil || err != nil {
			return wrong, err
		}
	}
}

// lookAgain reads what is in the place of the copy, and returns on what it is to be written. A problem says that something else is there.
func (p *pass) lookAgain(ctx context.Context, wanted *unstructured.Unstructured) (wrong *problem, on string, err error) {
	live, err := p.inService(wanted.GetNamespace()).Get(p.asService(ctx), wanted.GetName(), metav1.GetOptions{})
	switch {
	case apierr.IsObjectNotFound(err, wanted.GetName()):
		return nil, createOnly, nil
	case err != nil:
		return nil, "", err
	}
	return p.obstacle(live, wanted), live.GetResourceVersion(), nil
}

// send applies the copy on a condition, and notes it as it is then.
func (p *pass) send(ctx context.Context, wanted *unstructured.Unstructured, on string) error {
	return p.copies.write(p.origin, func() (*unstructured.Unstructured, error) {
		intent := wanted.DeepCopy()
		intent.SetResourceVersion(on)
		return p.inService(wanted.GetNamespace()).Apply(p.asService(ctx), wanted.GetName(), intent, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	})
}

// obstacle returns why the object in the place of the copy is not written; nil: it is the copy, or may become it.
func (p *pass) obstacle(live, wanted *unstructured.Unstructured) *problem {
	origin, uid, _ := originOf(live)
	switch {
	case p.offer.marks.own(live) && origin == p.origin && uid == originUID(wanted):
		return nil
	case p.offer.marks.own(live):
		return p.taken(wanted, p.describe(origin))
	case isMarked(live):
		return p.taken(wanted, "it is the copy of something else")
	case live.GetDeletionTimestamp() != nil:
		return p.taken(wanted, "it is being deleted")
	}
	switch p.offer.spec.Adoption.Policy {
	case v1alpha1.AdoptIfAllowed:
		if live.GetAnnotations()[v1.AnnotationAdoptableBy] == p.offer.marks.name {
			return nil
		}
		return p.taken(wanted, "it is not that of this PublishedResource, and does not name it in the annotation "+v1.AnnotationAdoptableBy)
	case v1alpha1.AdoptIfIdentical:
		if contains(withoutMarks(live).Object, withoutMarks(wanted).Object) {
			return nil
		}
		return p.taken(wanted, "it is not that of this PublishedResource, and differs from it")
	default:
		return p.taken(wanted, "it is not that of this PublishedResource")
	}
}

func originUID(of *unstructured.Unstructured) (uid uidOf) {
	_, uid, _ = originOf(of)
	return uid
}

// withoutMarks returns an object without what the operator adds to a copy.
func withoutMarks(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = object.DeepCopy()
	annotations, labels := map[string]string{}, map[string]string{}
	for key, value := range object.GetAnnotations() {
		if !isOurs(key) {
			annotations[key] = value
		}
	}
	for key, value := range object.GetLabels() {
		if !isOurs(key) {
			labels[key] = value
		}
	}
	object.SetAnnotations(annotations)
	object.SetLabels(labels)
	return object
}

// describe says whose copy an object is, without the name of a cluster that is not that of the consumer.
func (p *pass) describe(of Origin) string {
	if of.Cluster == p.origin.Cluster {
		return "it is the copy of " + of.key().String()
	}
	return "it is the copy of an object of another consumer"
}

func (p *pass) taken(wanted *unstructured.Unstructured, by string) *problem {
	place := placeOf(wanted).String()
	if wanted.GetNamespace() == "" {
		place = wanted.GetName()
	}
	return &problem{v1alpha1.ReasonNameConflict, fmt.Sprintf("the copy would be %s %s, which exists: %s; it is left alone", wanted.GetKind(), place, by), true}
}

// createNamespace creates a namespace for copies.
func (p *pass) createNamespace(ctx context.Context, name string) (*problem, error) {
	if p.offer.spec.Naming.CreateNamespaces == v1alpha1.CreateNever {
		return &problem{
			v1alpha1.ReasonWriteFailed, "the namespace " + name + " of the copy does not exist, and naming.createNamespaces is Never; create it", true,
		}, nil
	}
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	namespace.SetName(name)
	namespace.SetLabels(map[string]string{p.offer.marks.label(): string(p.offer.marks.uid)})
	namespace.SetAnnotations(map[string]string{v1.AnnotationOwnedByRemote: p.offer.marks.owner(), v1.AnnotationOrigin: p.origin.Cluster})
	_, err := p.service.Dynamic.Resource(namespaceKind).Create(ctx, namespace, metav1.CreateOptions{FieldManager: fieldManager})
	if apierrors.IsAlreadyExists(err) {
		err = nil
	}
	return nil, err
}

func mustMarshal(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil { // it is made of maps and texts
		panic(err)
	}
	return encoded
}
