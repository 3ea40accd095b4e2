package app_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/test/env"
)

// serveMonitors installs the CRD of ServiceMonitors for the rest of the test.
func serveMonitors(t *testing.T) {
	t.Helper()
	options := envtest.CRDInstallOptions{Paths: []string{"testdata/servicemonitors.yaml"}}
	config := cluster(t)
	_, err := envtest.InstallCRDs(config, options)
	require.NoError(t, err)
	c, err := client.New(config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	t.Cleanup(func() { // and wait, because the next test may install it again
		require.NoError(t, envtest.UninstallCRDs(config, options))
		crd := &metav1.PartialObjectMetadata{}
		crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
		require.Eventually(t, func() bool {
			return apierrors.IsNotFound(c.Get(context.Background(), client.ObjectKey{Name: "servicemonitors.monitoring.coreos.com"}, crd))
		}, env.Timeout, env.Interval)
	})
}

func emptyMonitor() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor"}}
}

func monitored(s *v1.WebAppSpec) { s.Monitoring = true }

func TestMonitoringInAClusterThatGetsToServeTheKind(t *testing.T) {
	w := newWorld(t)
	w.create(monitored)
	w.reconcile()
	w.says(v1.MonitoringReady, metav1.ConditionTrue, component.Healthy)

	serveMonitors(t)
	w.reconcile()
	found := get(w, emptyMonitor(), "web")
	endpoints, _, err := unstructured.NestedSlice(found.Object, "spec", "endpoints")
	require.NoError(t, err)
	assert.Equal(t, []any{map[string]any{"port": "http"}}, endpoints)
	assert.True(t, metav1.IsControlledBy(found, w.app()))

	w.edit(func(s *v1.WebAppSpec) { s.Monitoring = false })
	w.reconcile()
	w.absent(emptyMonitor(), "web")
	w.says(v1.MonitoringReady, metav1.ConditionTrue, component.Disabled)
}

func TestMonitorOfAUserStays(t *testing.T) {
	serveMonitors(t)
	w := newWorld(t)
	theirs := emptyMonitor()
	theirs.SetNamespace(w.namespace)
	theirs.SetName("web")
	require.Eventually(t, func() bool { return w.client.Create(t.Context(), theirs) == nil }, env.Timeout, env.Interval)
	w.running()
	w.says(v1.MonitoringReady, metav1.ConditionTrue, component.Disabled)
	assert.Equal(t, theirs.GetResourceVersion(), get(w, emptyMonitor(), "web").GetResourceVersion())
}
