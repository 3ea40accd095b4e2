package roundtrip_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/unstructured/static"
)

// setUp creates the namespaces and every object of testdata whose kind is served.
func setUp(t *testing.T, config *rest.Config) {
	t.Helper()
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(config)
	for _, name := range []string{sourceNamespace, targetNamespace} {
		_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			_, err := client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
			return err == nil
		}, timeout, tick, "Pods are admitted once there is the default ServiceAccount")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	require.NoError(t, err)
	cached := memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(config))
	creator := creator{dynamic.NewForConfigOrDie(config), restmapper.NewDeferredDiscoveryRESTMapper(cached)}
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, obj := range parse(t, content) {
			creator.create(t, obj)
		}
	}
}

// creator creates objects of any kind.
type creator struct {
	client dynamic.Interface
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

// create tries again until admission and discovery know what the object refers to. Kinds that are not served, and the
// others of their file, are left out.
func (c creator) create(t *testing.T, obj *uns.Unstructured) {
	t.Helper()
	require.EventuallyWithT(t, func(collect *assert.CollectT) {
		kind := obj.GroupVersionKind()
		mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if meta.IsNoMatchError(err) && kind.Group != "example.com" {
			return
		}
		if err != nil {
			c.mapper.Reset()
		}
		require.NoError(collect, err)
		resource := c.client.Resource(mapping.Resource)
		var client dynamic.ResourceInterface = resource
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			client = resource.Namespace(sourceNamespace)
		}
		_, err = client.Create(context.Background(), obj, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		require.NoError(collect, err, "create %s %s", obj.GetKind(), obj.GetName())
	}, timeout, tick)
}

func clientsOf(t *testing.T, config *rest.Config, resource served) (sources, targets dynamic.ResourceInterface) {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	return client.Resource(resource.resource).Namespace(sourceNamespace), client.Resource(resource.resource).Namespace(targetNamespace)
}

// render makes the copy under a name of its own, so that every version has one.
func render(t *testing.T, source *uns.Unstructured, resource served, version string) *uns.Unstructured {
	t.Helper()
	baseline := source.DeepCopy()
	baseline.SetNamespace(targetNamespace)
	baseline.SetName(source.GetName() + "-" + resource.kind.Version)
	copied, err := static.NewBuilder(baseline).WithMutation(mutations.ForDestination(mutations.Input{
		Kind: resource.kind.GroupKind(), Stamp: stamp, ServerVersion: version,
	})...).Build()
	require.NoError(t, err)
	wanted, err := copied.PreviewObject()
	require.NoError(t, err)
	return wanted
}
