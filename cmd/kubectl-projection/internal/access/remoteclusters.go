package access

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/api/v1alpha1"
)

// RemoteClusters is the resource as which RemoteClusters are served.
var RemoteClusters = v1alpha1.GroupVersion.WithResource("remoteclusters")

// ErrNoRemoteClusters says that the API server does not know RemoteClusters.
var ErrNoRemoteClusters = errors.New("the API server does not serve remoteclusters.projection.sh: install their definition, and start the operator " +
	"with --remote-clusters, or choose another context with --context")

// RemoteCluster reads a RemoteCluster.
func (c *Cluster) RemoteCluster(ctx context.Context, name string) (*v1alpha1.RemoteCluster, error) {
	object, err := c.Content.Resource(RemoteClusters).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, explainRemote(err, "read RemoteCluster "+name)
	}
	return remoteOf(object)
}

// RemoteClusters lists all RemoteClusters.
func (c *Cluster) RemoteClusters(ctx context.Context) (all []*v1alpha1.RemoteCluster, err error) {
	err = c.EachObject(ctx, RemoteClusters, "", metav1.ListOptions{}, func(object *unstructured.Unstructured) error {
		remote, err := remoteOf(object)
		all = append(all, remote)
		return err
	})
	return all, explainRemote(err, "list RemoteClusters")
}

func remoteOf(object *unstructured.Unstructured) (*v1alpha1.RemoteCluster, error) {
	object.SetManagedFields(nil)
	remote := &v1alpha1.RemoteCluster{}
	return remote, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, remote)
}

func explainRemote(err error, doing string) error {
	if apierrors.IsNotFound(err) && !hasName(err) {
		return ErrNoRemoteClusters
	}
	return Explain(err, doing)
}
