package access

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/owner"
)

// NamespaceResource is the resource as which namespaces are served.
var NamespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// Namespaces are the metadata of namespaces, in the form in which the operator asks for them. They are read once. It is a reader of nothing
// else.
type Namespaces struct {
	cluster *Cluster
	only    string

	mu     sync.Mutex
	listed []metav1.PartialObjectMetadata
	// byName has the numbers of those that are listed.
	byName map[string]int
	isRead bool
}

var _ client.Reader = (*Namespaces)(nil)

// AllNamespaces returns the namespaces of the cluster.
func (c *Cluster) AllNamespaces() *Namespaces { return &Namespaces{cluster: c} }

// OneNamespace returns one namespace, as if there were no other. The caller need not be allowed to list them.
func (c *Cluster) OneNamespace(name string) *Namespaces { return &Namespaces{cluster: c, only: name} }

// NamespacesOf returns the namespaces in which a rule may have copies. Who has a Projection need not be allowed to list namespaces.
func (c *Cluster) NamespacesOf(rule owner.Identity) *Namespaces {
	if rule.Kind.Namespaced {
		return c.OneNamespace(rule.Namespace)
	}
	return c.AllNamespaces()
}

// List fills the list with the namespaces.
func (n *Namespaces) List(ctx context.Context, list client.ObjectList, _ ...client.ListOption) error {
	into, ok := list.(*metav1.PartialObjectMetadataList)
	if !ok {
		return fmt.Errorf("a list of metadata is needed, not %T", list)
	}
	all, err := n.All(ctx)
	into.Items = all
	return err
}

// Get fills the object with a namespace.
func (n *Namespaces) Get(ctx context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	into, ok := object.(*metav1.PartialObjectMetadata)
	if !ok {
		return fmt.Errorf("metadata are needed, not %T", object)
	}
	if listed := n.Listed(key.Name); listed != nil {
		*into = *listed
		return nil
	}
	read, err := n.cluster.Metadata.Resource(NamespaceResource).Get(ctx, key.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	*into = *read
	return nil
}

// Listed returns the namespace, as it was listed; nil: it was not.
func (n *Namespaces) Listed(name string) *metav1.PartialObjectMetadata {
	n.mu.Lock()
	defer n.mu.Unlock()
	if i, isListed := n.byName[name]; isListed {
		return &n.listed[i]
	}
	return nil
}

// All returns the namespaces, in the order of their names.
func (n *Namespaces) All(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.isRead {
		return n.listed, nil
	}
	listed, err := n.read(ctx)
	if err == nil {
		n.listed, n.isRead, n.byName = listed, true, make(map[string]int, len(listed))
		for i := range listed {
			n.byName[listed[i].Name] = i
		}
	}
	return listed, err
}

func (n *Namespaces) read(ctx context.Context) (listed []metav1.PartialObjectMetadata, err error) {
	if n.only != "" {
		read, err := n.cluster.Metadata.Resource(NamespaceResource).Get(ctx, n.only, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []metav1.PartialObjectMetadata{*read}, nil
	}
	err = n.cluster.EachMetadata(ctx, NamespaceResource, "", metav1.ListOptions{}, func(namespace *metav1.PartialObjectMetadata) error {
		namespace.ManagedFields = nil
		listed = append(listed, *namespace)
		return nil
	})
	return listed, err
}
