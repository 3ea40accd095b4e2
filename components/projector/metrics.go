package projector

import (
	"errors"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// Results of a pass, as the label "result" has them.
const (
	resultSuccess          = "success"
	resultConflict         = "conflict"
	resultSourceError      = "source_error"
	resultDestinationError = "destination_error"
)

// States of copies, as the label "state" has them.
const (
	stateInStep = "in_step"
	stateFailed = "failed"
)

// Metrics are what the operator measures of itself. No label holds the name of an object.
type Metrics struct {
	passes       *prometheus.CounterVec
	endToEnd     *prometheus.HistogramVec
	destinations *prometheus.GaugeVec
	sourceKinds  prometheus.Gauge
	copyKinds    prometheus.Gauge

	mu      sync.Mutex
	byRules map[string]int // kinds of copies that are watched, by kind of rule
}

// NewMetrics registers the metrics. What is registered already is used.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{byRules: map[string]int{}}
	return m, errors.Join(
		register(registry, &m.passes, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_reconcile_total",
			Help: "Passes by kind of rule and result: success, conflict, source_error or destination_error.",
		}, []string{"kind", "result"})),
		register(registry, &m.endToEnd, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "projection_e2e_seconds",
			Help:    "Time from when a cause was noticed until the last copy was in step, by kind of rule and event.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"kind", "event"})),
		register(registry, &m.destinations, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "projection_destinations",
			Help: "Places where a copy is wanted, by kind of rule and state: in_step or failed.",
		}, []string{"kind", "state"})),
		register(registry, &m.sourceKinds, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "projection_watched_gvks",
			Help: "Kinds whose sources are watched.",
		})),
		register(registry, &m.copyKinds, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "projection_watched_dest_gvks",
			Help: "Watches on copies: one for each kind of copies and kind of rules.",
		})),
	)
}

func register[C prometheus.Collector](registry prometheus.Registerer, into *C, collector C) error {
	*into = collector
	err := registry.Register(collector)
	var known prometheus.AlreadyRegisteredError
	if !errors.As(err, &known) {
		return err
	}
	existing, ok := known.ExistingCollector.(C)
	if !ok {
		return err
	}
	*into = existing
	return nil
}

// watched notes how many kinds are watched: for sources in all, and for copies by one kind of rules.
func (m *Metrics) watched(rules string, sources, copies int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.byRules[rules] = copies
	sum := 0
	for _, count := range m.byRules {
		sum += count
	}
	m.sourceKinds.Set(float64(sources))
	m.copyKinds.Set(float64(sum))
}

// count measures the pass.
func (p *pass[O]) count(conditions []metav1.Condition) {
	kind, ready := p.id.Tier.Kind, conditions[2]
	p.parts.Metrics.passes.WithLabelValues(kind, result(conditions)).Inc()
	failed := len(p.outcomes)
	for _, outcome := range p.outcomes {
		if !outcome.Failed() {
			failed--
		}
	}
	p.tally.set(p.id.Key(), len(p.outcomes)-failed, failed)
	p.parts.Metrics.watched(kind, p.parts.Sources.Watches(), p.parts.Inventory.Watches())
	if ready.Status != metav1.ConditionTrue || !p.didSomething() {
		return
	}
	for cause, noticed := range p.causes {
		p.parts.Metrics.endToEnd.WithLabelValues(kind, string(cause)).Observe(p.clock().Sub(noticed).Seconds())
	}
}

func (p *pass[O]) didSomething() bool {
	for _, outcomes := range [][]destination.Outcome{p.outcomes, p.removals} {
		for _, outcome := range outcomes {
			if outcome.Action != destination.Unchanged {
				return true
			}
		}
	}
	return false
}

func result(conditions []metav1.Condition) string {
	resolved, written := conditions[0], conditions[1]
	switch {
	case resolved.Status != metav1.ConditionTrue:
		return resultSourceError
	case written.Status == metav1.ConditionTrue:
		return resultSuccess
	case written.Reason == v1.ReasonDestinationConflict:
		return resultConflict
	default:
		return resultDestinationError
	}
}

// tally keeps the gauge of copies by adding up the rules.
type tally struct {
	kind    string
	metrics *Metrics

	mu    sync.Mutex
	rules map[types.NamespacedName][2]int
}

func newTally(kind string, metrics *Metrics) *tally {
	return &tally{kind: kind, metrics: metrics, rules: map[types.NamespacedName][2]int{}}
}

func (t *tally) set(rule types.NamespacedName, inStep, failed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.rules[rule]
	t.rules[rule] = [2]int{inStep, failed}
	t.metrics.destinations.WithLabelValues(t.kind, stateInStep).Add(float64(inStep - before[0]))
	t.metrics.destinations.WithLabelValues(t.kind, stateFailed).Add(float64(failed - before[1]))
}

func (t *tally) forget(rule types.NamespacedName) {
	t.set(rule, 0, 0)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.rules, rule)
}
