package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"projection.sh/operator/primitives/component"
)

// serveMonitors installs the CRD of ServiceMonitors for the rest of the test.
func serveMonitors(t *testing.T) {
	t.Helper()
	options := envtest.CRDInstallOptions{Paths: []string{"testdata/servicemonitors.yaml"}}
	config := cluster(t)
	_, err := envtest.InstallCRDs(config, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, envtest.UninstallCRDs(config, options)) })
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
	require.NoError(t, w.client.Create(t.Context(), theirs))
	w.running()
	w.says(v1.MonitoringReady, metav1.ConditionTrue, component.Disabled)
	assert.Equal(t, theirs.GetResourceVersion(), get(w, emptyMonitor(), "web").GetResourceVersion())
}
