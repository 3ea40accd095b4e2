package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// Collectors are the counters of applied resources. They serve all controllers of a process: each has a Recorder of its own
// that names it. They are to be registered once.
type Collectors struct {
	applies  *prometheus.CounterVec
	failures *prometheus.CounterVec
}

var _ prometheus.Collector = (*Collectors)(nil)

// NewCollectors returns counters without series.
func NewCollectors() *Collectors {
	resource := []string{"controller", "owner_kind", "component", "resource", "kind"}
	return &Collectors{
		applies: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ocf_resource_apply_total",
			Help: "Framework applies of a managed resource, by outcome.",
		}, append(resource, "operation")),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ocf_resource_apply_errors_total",
			Help: "Failed framework applies of a managed resource.",
		}, resource),
	}
}

// Describe sends the descriptions of the counters.
func (c *Collectors) Describe(descriptions chan<- *prometheus.Desc) {
	c.applies.Describe(descriptions)
	c.failures.Describe(descriptions)
}

// Collect sends the counters.
func (c *Collectors) Collect(metrics chan<- prometheus.Metric) {
	c.applies.Collect(metrics)
	c.failures.Collect(metrics)
}

func (c *Collectors) applied(controller string, labels component.ResourceMetricLabels, op concepts.ConvergingOperation) {
	c.applies.WithLabelValues(append(values(controller, labels), strings.ToLower(string(op)))...).Inc()
}

func (c *Collectors) failed(controller string, labels component.ResourceMetricLabels) {
	c.failures.WithLabelValues(values(controller, labels)...).Inc()
}

// values are in the order of the labels of the counters.
func values(controller string, labels component.ResourceMetricLabels) []string {
	return []string{controller, labels.OwnerKind, labels.Component, labels.Identifier, labels.Kind}
}
