package push

import (
	"context"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/watch"
)

var namespacesResource = corev1.SchemeGroupVersion.WithResource("namespaces")

// namespaces knows the metadata of the namespaces of another cluster, and reads everything else from the cluster of the rules. It is safe for
// concurrent use.
type namespaces struct {
	client.Reader // of the cluster of the rules
	stream        *watch.Stream

	// changing is held during a change, and while changed is called: the watch changes namespaces, and so does a rule that creates one.
	changing sync.Mutex

	mu      sync.RWMutex
	known   map[string]*metav1.PartialObjectMetadata
	changed func(before, after metav1.Object)
}

// openNamespaces watches the namespaces until the context ends.
func openNamespaces(ctx context.Context, cluster string, objects metadata.Interface, witness watch.Witness, rules client.Reader) *namespaces {
	n := &namespaces{Reader: rules, changed: func(metav1.Object, metav1.Object) {}}
	from := watch.ByLabel(objects.Resource(namespacesResource), "").Of(namespacesResource).Witnessed(witness)
	n.stream = watch.Open(ctx, "namespaces of "+cluster, from, watch.Store(n))
	return n
}

// onChange has the function called with what a namespace was and is, of which one may be nil. Two calls never overlap.
func (n *namespaces) onChange(changed func(before, after metav1.Object)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changed = changed
}

// Event implements watch.EventHandler.
func (n *namespaces) Event(object metav1.Object, deleted bool) {
	n.changing.Lock()
	defer n.changing.Unlock()
	n.mu.Lock()
	before, after := n.known[object.GetName()], trimmed(object)
	if deleted {
		after = nil
		delete(n.known, object.GetName())
	} else if n.known != nil {
		n.known[object.GetName()] = after
	}
	changed := n.changed
	n.mu.Unlock()
	notify(changed, before, after)
}

// Replace implements watch.EventHandler.
func (n *namespaces) Replace(objects []metav1.Object, _ string) {
	n.changing.Lock()
	defer n.changing.Unlock()
	n.mu.Lock()
	former, changed := n.known, n.changed
	now := make(map[string]*metav1.PartialObjectMetadata, len(objects))
	for _, object := range objects {
		now[object.GetName()] = trimmed(object)
	}
	n.known = maps.Clone(now)
	n.mu.Unlock()
	for name, before := range former {
		if _, found := now[name]; !found {
			notify(changed, before, nil)
		}
	}
	for name, after := range now {
		notify(changed, former[name], after)
	}
}

// notify passes a nil pointer on as nil.
func notify(changed func(before, after metav1.Object), before, after *metav1.PartialObjectMetadata) {
	var was, is metav1.Object
	if before != nil {
		was = before
	}
	if after != nil {
		is = after
	}
	if was != nil || is != nil {
		changed(was, is)
	}
}

// trimmed returns what is kept of a namespace.
func trimmed(object metav1.Object) *metav1.PartialObjectMetadata {
	kept := watch.NewNamespace()
	kept.Name, kept.UID, kept.ResourceVersion = object.GetName(), object.GetUID(), object.GetResourceVersion()
	kept.Labels, kept.Annotations = object.GetLabels(), object.GetAnnotations()
	kept.DeletionTimestamp = object.GetDeletionTimestamp()
	_, _ = watch.TrimNamespace(kept)
	return kept
}

// Get implements client.Reader.
func (n *namespaces) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	into, isNamespace := object.(*metav1.PartialObjectMetadata)
	if !isNamespace || into.Kind != "Namespace" {
		return n.Reader.Get(ctx, key, object, options...)
	}
	if err := n.stream.WaitForStart(ctx); err != nil {
		return err
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	known, found := n.known[key.Name]
	if !found {
		return apierrors.NewNotFound(namespacesResource.GroupResource(), key.Name)
	}
	*into = *known
	return nil
}

// List implements client.Reader.
func (n *namespaces) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	into, isNamespaces := list.(*metav1.PartialObjectMetadataList)
	if !isNamespaces || into.Kind != "NamespaceList" {
		return n.Reader.List(ctx, list, options...)
	}
	if err := n.stream.WaitForStart(ctx); err != nil {
		return err
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	into.Items = make([]metav1.PartialObjectMetadata, 0, len(n.known))
	for _, known := range n.known {
		into.Items = append(into.Items, *known)
	}
	return nil
}
