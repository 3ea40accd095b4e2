package publication

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

// everyNamespace stands for all namespaces that the PublishedResource has created for copies.
const everyNamespace = ""

// firstLook is after how long to look again at a namespace that is not empty. Each time after that, it is twice as long.
const firstLook = time.Second

// errNotEmpty says that there is something in a namespace, or that it is not known what.
var errNotEmpty = errors.New("the namespace is not empty")

// namespaceQueue has the namespaces of the service that may be empty.
type namespaceQueue struct {
	workqueue.TypedRateLimitingInterface[string]
}

func newNamespaceQueue(retry time.Duration) namespaceQueue {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstLook, max(retry, firstLook))
	return namespaceQueue{workqueue.NewTypedRateLimitingQueue(limiter)}
}

// enqueue has the namespace looked at immediately, and again after a second if it is not empty.
func (q namespaceQueue) enqueue(namespace string) {
	q.Forget(namespace)
	q.Add(namespace)
}

// removeEmptyNamespaces deletes namespaces that have become empty, until the queue is shut down.
func (p *publication) removeEmptyNamespaces(ctx context.Context) {
	for {
		namespace, ends := p.emptied.Get()
		if ends {
			return
		}
		err := p.catchPanic(ctx, func() error { return p.removeIfEmpty(ctx, namespace) })
		p.emptied.Done(namespace)
		if err != nil {
			p.emptied.AddRateLimited(namespace)
			continue
		}
		p.emptied.Forget(namespace)
	}
}

// removeIfEmpty looks at a namespace, or at all. An error says that it is to be looked at again.
func (p *publication) removeIfEmpty(ctx context.Context, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	v, ready := p.view()
	if !ready || v.service == nil || v.offer.spec.Naming.RemoveNamespaces != v1alpha1.RemoveWhenEmpty {
		return nil // all are looked at when that changes
	}
	service, err := p.engine.sides.declared(ctx, v.offer.spec.Service.Cluster)
	switch {
	case err != nil:
		return err
	case v.offer.spec.Suspend && !v.offer.deleting || service.paused():
		return errNotEmpty
	case namespace != everyNamespace:
		return p.removeNamespace(ctx, v, namespace)
	}
	created, err := v.createdNamespaces(ctx)
	for _, namespace := range created {
		p.emptied.enqueue(namespace)
	}
	return err
}

// removeLastNamespaces deletes the empty namespaces of a publication that ends. What is in use then stays.
func (p *publication) removeLastNamespaces(ctx context.Context) error {
	v, ready := p.view()
	if !ready || v.service == nil || v.offer.spec.Naming.RemoveNamespaces != v1alpha1.RemoveWhenEmpty {
		return nil
	}
	created, err := v.createdNamespaces(ctx)
	for _, namespace := range created {
		if failed := p.removeNamespace(ctx, v, namespace); failed != nil && v.service.unreachable() != nil {
			return failed
		}
	}
	if apierr.IsTerminal(err) {
		return nil
	}
	return err
}

// createdNamespaces returns the namespaces that this PublishedResource has created for copies.
func (v view) createdNamespaces(ctx context.Context) (names []string, err error) {
	list, err := v.service.Metadata.Resource(namespaceKind).List(ctx, metav1.ListOptions{LabelSelector: v.offer.marks.label()})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if v.offer.marks.own(&list.Items[i]) {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

// hasCreated reports whether a namespace that copies were in was created for copies, by this PublishedResource or by one that does not exist any more.
func (p *publication) hasCreated(ctx context.Context, v view, namespace metav1.Object) bool {
	annotations := namespace.GetAnnotations()
	if annotations[v1.AnnotationOrigin] == "" {
		return false
	}
	if v.offer.marks.own(namespace) {
		return true
	}
	name, found := strings.CutPrefix(annotations[v1.AnnotationOwnedByRemote], v.offer.marks.of(""))
	err := p.engine.options.Client.Get(ctx, client.ObjectKey{Name: name}, &v1alpha1.PublishedResource{})
	return found && apierrors.IsNotFound(err)
}

// removeNamespace deletes a namespace that was created for copies, if nothing is left in it. An error says that it is to be looked at again.
func (p *publication) removeNamespace(ctx context.Context, v view, name string) error {
	if err := v.started(ctx); err != nil {
		return err
	}
	if service, err := p.engine.sides.declared(ctx, v.offer.spec.Service.Cluster); err != nil || !service.permits(name) {
		return client.IgnoreNotFound(err)
	}
	if v.copies.isUsed(name) {
		return nil // it is looked at when a copy leaves it
	}
	namespaces := v.service.Metadata.Resource(namespaceKind)
	found, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	switch {
	case apierr.IsObjectNotFound(err, name):
		return nil
	case err != nil:
		return err
	case found.DeletionTimestamp != nil || !p.hasCreated(ctx, v, found):
		return nil
	}
	if err := v.service.isEmpty(ctx, name); err != nil {
		return err
	}
	if v.copies.isUsed(name) {
		return nil
	}
	err = namespaces.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &found.UID, ResourceVersion: &found.ResourceVersion}})
	if apierr.IsObjectNotFound(err, name) {
		return nil
	}
	return err
}

// isEmpty returns nil if nothing is in the namespace but what Kubernetes puts into each one. It asks for every kind.
func (s *side) isEmpty(ctx context.Context, namespace string) error {
	lists, err := s.Discovery.ServerPreferredNamespacedResourcesWithContext(ctx)
	if err != nil {
		return err
	}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		for i := range list.APIResources {
			resource := &list.APIResources[i]
			if isEvents(version.WithResource(resource.Name)) || !slices.Contains(resource.Verbs, "list") || !slices.Contains(resource.Verbs, "delete") {
				continue
			}
			found, err := s.Metadata.Resource(version.WithResource(resource.Name)).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: fewObjects})
			if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
				continue // it is served no more, or not listed
			}
			if err != nil {
				return err
			}
			for i := range found.Items {
				if version.Group != "" || !slices.Contains(createdInEach[resource.Name], found.Items[i].Name) {
					return errNotEmpty
				}
			}
		}
	}
	return nil
}

// fewObjects are more than Kubernetes puts into each namespace.
const fewObjects = 8

func isEvents(kind schema.GroupVersionResource) bool {
	return kind.Resource == eventKind.Resource && (kind.Group == "" || kind.Group == eventKind.Group)
}

// createdInEach are the names of objects that are in each namespace, by their resources in the core group.
var createdInEach = map[string][]string{
	"serviceaccounts": {"default"},
	"configmaps":      {"kube-root-ca.crt", "openshift-service-ca.crt"},
}
