package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"projection.sh/operator/primitives/component"
)

// OperatorConditionsGauge holds the conditions of the owners of all controllers of a process. It is to be registered once.
// It is safe for concurrent use.
type OperatorConditionsGauge struct {
	description *prometheus.Desc

	mu     sync.Mutex
	owners map[owner]map[string]condition // by owner and type of the condition
}

type owner struct{ controller, kind, namespace, name string }

type condition struct {
	status, reason string
	since          time.Time
}

var _ prometheus.Collector = (*OperatorConditionsGauge)(nil)

// NewOperatorConditionsGauge returns a gauge that is named <namespace>_controller_condition. The namespace is that of the
// metric, usually the name of the operator.
func NewOperatorConditionsGauge(namespace string) *OperatorConditionsGauge {
	return &OperatorConditionsGauge{
		description: prometheus.NewDesc(
			prometheus.BuildFQName(namespace, "controller", "condition"),
			"Conditions of custom resources; the value is the time of the last transition in Unix seconds.",
			[]string{"controller", "kind", "name", "namespace", "condition", "status", "reason", "id"}, nil,
		),
		owners: map[owner]map[string]condition{},
	}
}

// Describe sends the description of the gauge.
func (g *OperatorConditionsGauge) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- g.description
}

// Collect sends a series for each condition.
func (g *OperatorConditionsGauge) Collect(metrics chan<- prometheus.Metric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for of, conditions := range g.owners {
		for conditionType, state := range conditions {
			metrics <- prometheus.MustNewConstMetric(g.description, prometheus.GaugeValue, float64(state.since.Unix()),
				of.controller, of.kind, of.name, of.namespace, conditionType, state.status, state.reason, of.namespace+"/"+of.name)
		}
	}
}

// set replaces the state of a condition.
func (g *OperatorConditionsGauge) set(of owner, conditionType string, state condition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owners[of] == nil {
		g.owners[of] = map[string]condition{}
	}
	g.owners[of][conditionType] = state
}

// keep forgets the conditions of an owner that are of none of the types.
func (g *OperatorConditionsGauge) keep(of owner, conditionTypes []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.owners[of], func(conditionType string, _ condition) bool {
		return !slices.Contains(conditionTypes, conditionType)
	})
}

// remove forgets the conditions of an owner and returns how many there were.
func (g *OperatorConditionsGauge) remove(of owner) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	removed := len(g.owners[of])
	delete(g.owners, of)
	return removed
}

func ownerOf(controller, kind string, object component.ConditionObject) owner {
	return owner{controller: controller, kind: kind, namespace: object.GetNamespace(), name: object.GetName()}
}
