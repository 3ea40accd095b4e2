package metrics_test

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/metrics"
)

// Gauge and collectors are made once in a process and registered, and each controller gets a recorder.
func ExampleNewRecorder() {
	conditions := metrics.NewOperatorConditionsGauge("shop")
	collectors := metrics.NewCollectors()
	registry := prometheus.NewRegistry() // in an operator: metrics.Registry of controller-runtime
	registry.MustRegister(conditions, collectors)

	recorder := metrics.NewRecorder("webapp", conditions, collectors)
	rec := component.ReconcileContext{Metrics: recorder} // with Client, Owner and so on

	// FlushStatus does this after it has written the status:
	owner := &metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	rec.Metrics.RecordConditionFor("WebApp", owner, "Ready", "False", "Creating", time.Unix(1767225600, 0))
	families, err := registry.Gather()
	fmt.Println(families[0].GetName(), families[0].GetMetric()[0].GetGauge().GetValue(), err)

	// When the owner is gone:
	fmt.Println(recorder.RemoveConditionsFor("WebApp", owner))
	// Output:
	// shop_controller_condition 1.7672256e+09 <nil>
	// 1
}
