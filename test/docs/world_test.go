package docs_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// timeout bounds how long a test waits for what is to happen. It is no limit on speed.
const timeout = time.Minute

// kinds outside of namespaces that a page may add to.
var clusterKinds = []schema.GroupVersionResource{
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	{Group: "projection.sh", Version: "v1alpha1", Resource: "publishedresources"},
	{Group: "projection.sh", Version: "v1alpha1", Resource: "remoteclusters"},
	{Version: "v1", Resource: "namespaces"},
}

// sweeper brings the cluster back to what it was, so that every page begins in an empty one.
type sweeper struct {
	t      *testing.T
	of     *env.Environment
	client dynamic.Interface
	before map[schema.GroupVersionResource][]string
}

func newSweeper(t *testing.T, of *env.Environment) *sweeper {
	t.Helper()
	config := rest.CopyConfig(of.Config)
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	return &sweeper{t: t, of: of, client: client, before: map[schema.GroupVersionResource][]string{}}
}

// sweepAfter has a cluster swept when the test ends.
func sweepAfter(t *testing.T, of *env.Environment) {
	t.Helper()
	s := newSweeper(t, of)
	for _, kind := range clusterKinds {
		s.before[kind] = s.names(kind)
	}
	t.Cleanup(s.sweep)
}

func (s *sweeper) names(kind schema.GroupVersionResource) []string {
	s.t.Helper()
	list, err := s.client.Resource(kind).List(context.Background(), metav1.ListOptions{})
	if apierrors.IsNotFound(err) { // the cluster does not serve the kind
		return nil
	}
	require.NoError(s.t, err)
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].GetName()
	}
	return names
}

func (s *sweeper) sweep() {
	for _, kind := range clusterKinds {
		if kind.Resource == "namespaces" {
			continue
		}
		s.each(kind, func(name string) {
			require.NoError(s.t, ignoreGone(s.client.Resource(kind).Delete(context.Background(), name, metav1.DeleteOptions{})))
		})
	}
	s.rules("clusterprojections")
	s.rules("projections")
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	s.each(namespaces, s.dissolve)
	require.Empty(s.t, s.names(v1.GroupVersion.WithResource("clusterprojections")))
}

// each calls the function with every name that has been added.
func (s *sweeper) each(kind schema.GroupVersionResource, do func(string)) {
	for _, name := range s.names(kind) {
		if !slices.Contains(s.before[kind], name) {
			do(name)
		}
	}
}

// rules deletes all rules of a kind and waits until they are gone.
func (s *sweeper) rules(resource string) {
	s.ended(v1.GroupVersion.WithResource(resource))
}

// ended deletes all objects of a kind that the cluster serves, and waits until they are gone.
func (s *sweeper) ended(kind schema.GroupVersionResource) {
	rules := s.client.Resource(kind)
	list, err := rules.List(context.Background(), metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return
	}
	require.NoError(s.t, err)
	for i := range list.Items {
		rule := &list.Items[i]
		require.NoError(s.t, ignoreGone(rules.Namespace(rule.GetNamespace()).Delete(context.Background(), rule.GetName(), metav1.DeleteOptions{})))
	}
	var left *unstructured.UnstructuredList
	require.Eventually(s.t, func() bool {
		left, err = rules.List(context.Background(), metav1.ListOptions{})
		return err == nil && len(left.Items) == 0
	}, timeout, env.Interval, "%s are left: %v", kind.Resource, left)
}

// dissolve deletes a namespace with all that is in it, without the pause that the namespace controller makes.
func (s *sweeper) dissolve(name string) {
	clients, err := kubernetes.NewForConfig(s.of.Config)
	require.NoError(s.t, err)
	ctx := context.Background()
	require.NoError(s.t, ignoreGone(clients.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})))
	lists, err := discovery.ServerPreferredNamespacedResources(clients.Discovery())
	require.NoError(s.t, err)
	deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"deletecollection"}}, lists)
	resources, err := discovery.GroupVersionResources(deletable)
	require.NoError(s.t, err)
	for resource := range resources {
		err := s.client.Resource(resource).Namespace(name).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
			require.NoError(s.t, err, "delete the %s of %s", resource.Resource, name)
		}
	}
	ended := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err = clients.CoreV1().Namespaces().Finalize(ctx, ended, metav1.UpdateOptions{})
	require.NoError(s.t, ignoreGone(err))
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
