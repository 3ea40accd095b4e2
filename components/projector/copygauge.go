package projector

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// copyGauge keeps the gauge of copies by adding up the rules.
type copyGauge struct {
	kind    string
	metrics *Metrics

	mu    sync.Mutex
	rules map[types.NamespacedName][2]int
}

func newCopyGauge(kind string, metrics *Metrics) *copyGauge {
	return &copyGauge{kind: kind, metrics: metrics, rules: map[types.NamespacedName][2]int{}}
}

func (t *copyGauge) set(rule types.NamespacedName, inStep, failed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.rules[rule]
	t.rules[rule] = [2]int{inStep, failed}
	t.metrics.destinations.WithLabelValues(t.kind, stateInStep).Add(float64(inStep - before[0]))
	t.metrics.destinations.WithLabelValues(t.kind, stateFailed).Add(float64(failed - before[1]))
}

func (t *copyGauge) forget(rule types.NamespacedName) {
	t.set(rule, 0, 0)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rules, rule)
}
