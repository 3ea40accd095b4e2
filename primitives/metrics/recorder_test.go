package metrics_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/metrics"
)

// exported returns all that a registry with the collector exports.
func exported(t testing.TB, collector prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector)
	path := filepath.Join(t.TempDir(), "metrics")
	require.NoError(t, prometheus.WriteToTextfile(path, registry))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func requireExported(t testing.TB, want string, collector prometheus.Collector) {
	t.Helper()
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(exported(t, collector)))
}

var settings = component.ResourceMetricLabels{OwnerKind: "WebApp", Component: "web", Identifier: "settings", Kind: "ConfigMap"}

func TestAppliesAreCounted(t *testing.T) {
	collectors := metrics.NewCollectors()
	requireExported(t, "", collectors)
	webapp, other := metrics.NewRecorder("webapp", nil, collectors), metrics.NewRecorder("other", nil, collectors)

	webapp.RecordResourceApply(settings, concepts.ConvergingOperationCreated)
	for range 2 {
		webapp.RecordResourceApply(settings, concepts.ConvergingOperationNone)
	}
	webapp.RecordResourceApply(settings, concepts.ConvergingOperationUpdated)
	other.RecordResourceApply(settings, concepts.ConvergingOperationUpdated)
	webapp.RecordResourceApplyError(settings)

	requireExported(t, `
# HELP ocf_resource_apply_errors_total Failed framework applies of a managed resource.
# TYPE ocf_resource_apply_errors_total counter
ocf_resource_apply_errors_total{component="web",controller="webapp",kind="ConfigMap",owner_kind="WebApp",resource="settings"} 1
# HELP ocf_resource_apply_total Framework applies of a managed resource, by outcome.
# TYPE ocf_resource_apply_total counter
ocf_resource_apply_total{component="web",controller="other",kind="ConfigMap",operation="updated",owner_kind="WebApp",resource="settings"} 1
ocf_resource_apply_total{component="web",controller="webapp",kind="ConfigMap",operation="created",owner_kind="WebApp",resource="settings"} 1
ocf_resource_apply_total{component="web",controller="webapp",kind="ConfigMap",operation="none",owner_kind="WebApp",resource="settings"} 2
ocf_resource_apply_total{component="web",controller="webapp",kind="ConfigMap",operation="updated",owner_kind="WebApp",resource="settings"} 1
`, collectors)
}

const conditionHeader = `# HELP shop_controller_condition Conditions of custom resources; the value is the time of the last transition in Unix seconds.
# TYPE shop_controller_condition gauge
`

func TestConditionHasOneSeriesAtATime(t *testing.T) {
	gauge := metrics.NewOperatorConditionsGauge("shop")
	recorder := metrics.NewRecorder("webapp", gauge, nil)
	web := &metav1.ObjectMeta{Name: "web", Namespace: "ns"}
	global := &metav1.ObjectMeta{Name: "web"}

	recorder.RecordConditionFor("WebApp", web, "Ready", "False", "Creating", time.Unix(100, 0))
	recorder.RecordConditionFor("WebApp", web, "Ready", "True", "Healthy", time.Unix(200, 999_999_999), "an", "extra")
	recorder.RecordConditionFor("WebApp", web, "WebReady", "True", "Healthy", time.Unix(300, 0))
	recorder.RecordConditionFor("Theme", global, "Ready", "True", "Healthy", time.Unix(400, 0))

	requireExported(t, conditionHeader+`shop_controller_condition{condition="Ready",controller="webapp",id="/web",kind="Theme",name="web",namespace="",reason="Healthy",status="True"} 400
shop_controller_condition{condition="Ready",controller="webapp",id="ns/web",kind="WebApp",name="web",namespace="ns",reason="Healthy",status="True"} 200
shop_controller_condition{condition="WebReady",controller="webapp",id="ns/web",kind="WebApp",name="web",namespace="ns",reason="Healthy",status="True"} 300
`, gauge)
}

func TestConditionsOfADeletedOwnerAreRemoved(t *testing.T) {
	gauge := metrics.NewOperatorConditionsGauge("shop")
	recorder, other := metrics.NewRecorder("webapp", gauge, nil), metrics.NewRecorder("other", gauge, nil)
	web, api := &metav1.ObjectMeta{Name: "web", Namespace: "ns"}, &metav1.ObjectMeta{Name: "api", Namespace: "ns"}
	for _, conditionType := range []string{"Ready", "WebReady"} {
		recorder.RecordConditionFor("WebApp", web, conditionType, "True", "Healthy", time.Unix(1, 0))
	}
	recorder.RecordConditionFor("WebApp", api, "Ready", "True", "Healthy", time.Unix(2, 0))
	recorder.RecordConditionFor("Theme", web, "Ready", "True", "Healthy", time.Unix(3, 0))
	other.RecordConditionFor("WebApp", web, "Ready", "True", "Healthy", time.Unix(4, 0))

	assert.Equal(t, 2, recorder.RemoveConditionsFor("WebApp", web))
	assert.Zero(t, recorder.RemoveConditionsFor("WebApp", web))

	requireExported(t, conditionHeader+`shop_controller_condition{condition="Ready",controller="other",id="ns/web",kind="WebApp",name="web",namespace="ns",reason="Healthy",status="True"} 4
shop_controller_condition{condition="Ready",controller="webapp",id="ns/api",kind="WebApp",name="api",namespace="ns",reason="Healthy",status="True"} 2
shop_controller_condition{condition="Ready",controller="webapp",id="ns/web",kind="Theme",name="web",namespace="ns",reason="Healthy",status="True"} 3
`, gauge)
}

func TestConditionsThatAnOwnerLosesAreRemoved(t *testing.T) {
	gauge := metrics.NewOperatorConditionsGauge("shop")
	recorder := metrics.NewRecorder("webapp", gauge, nil)
	web, api := &metav1.ObjectMeta{Name: "web", Namespace: "ns"}, &metav1.ObjectMeta{Name: "api", Namespace: "ns"}
	for _, owner := range []*metav1.ObjectMeta{web, api} {
		for _, conditionType := range []string{"Ready", "WebReady"} {
			recorder.RecordConditionFor("WebApp", owner, conditionType, "True", "Healthy", time.Unix(1, 0))
		}
	}
	recorder.KeepConditionsFor("WebApp", web, "Ready", "CacheReady")
	recorder.KeepConditionsFor("WebApp", &metav1.ObjectMeta{Name: "unknown"}, "Ready")

	requireExported(t, conditionHeader+`shop_controller_condition{condition="Ready",controller="webapp",id="ns/api",kind="WebApp",name="api",namespace="ns",reason="Healthy",status="True"} 1
shop_controller_condition{condition="Ready",controller="webapp",id="ns/web",kind="WebApp",name="web",namespace="ns",reason="Healthy",status="True"} 1
shop_controller_condition{condition="WebReady",controller="webapp",id="ns/api",kind="WebApp",name="api",namespace="ns",reason="Healthy",status="True"} 1
`, gauge)
	recorder.KeepConditionsFor("WebApp", web)
	assert.Zero(t, recorder.RemoveConditionsFor("WebApp", web))
}

func TestHalfOfARecorderCanBeMissing(t *testing.T) {
	none := metrics.NewRecorder("webapp", nil, nil)
	owner := &metav1.ObjectMeta{Name: "web"}
	assert.NotPanics(t, func() {
		none.RecordConditionFor("WebApp", owner, "Ready", "True", "Healthy", time.Unix(1, 0))
		none.RecordResourceApply(settings, concepts.ConvergingOperationNone)
		none.RecordResourceApplyError(settings)
		none.KeepConditionsFor("WebApp", owner)
		assert.Zero(t, none.RemoveConditionsFor("WebApp", owner))
	})
}

func TestRecorderIsSharedByReconciles(t *testing.T) {
	gauge, collectors := metrics.NewOperatorConditionsGauge("shop"), metrics.NewCollectors()
	recorder := metrics.NewRecorder("webapp", gauge, collectors)
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			owner := &metav1.ObjectMeta{Name: string(rune('a' + i))}
			for range 20 {
				recorder.RecordConditionFor("WebApp", owner, "Ready", "True", "Healthy", time.Unix(1, 0))
				recorder.RecordResourceApply(settings, concepts.ConvergingOperationNone)
				gauge.Collect(make(chan prometheus.Metric, 8))
			}
		})
	}
	workers.Wait()
	assert.Equal(t, 8, strings.Count(exported(t, gauge), "\nshop_controller_condition{"))
	assert.Contains(t, exported(t, collectors), `operation="none",owner_kind="WebApp",resource="settings"} 160`)
}

func TestNilRecorderMeasuresNothing(t *testing.T) {
	var none *metrics.Recorder
	assert.NotPanics(t, func() {
		none.RecordConditionFor("App", nil, "Ready", "True", "Healthy", time.Time{})
		none.KeepConditionsFor("App", nil)
		assert.Zero(t, none.RemoveConditionsFor("App", nil))
		none.RecordResourceApply(component.ResourceMetricLabels{}, concepts.ConvergingOperationCreated)
		none.RecordResourceApplyError(component.ResourceMetricLabels{})
	})
}
