package projector

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// labelKind is the label with the kind of rule.
const labelKind = "kind"

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
	panics       *prometheus.CounterVec
	watches      *watchCollector
	definitions  *definitionCollector
}

// NewMetrics registers the metrics. What is registered already is used.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{}
	return m, errors.Join(
		register(registry, &m.passes, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_reconcile_total",
			Help: "Passes by kind of rule and result: success, conflict, source_error or destination_error.",
		}, []string{labelKind, "result"})),
		register(registry, &m.endToEnd, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "projection_e2e_seconds",
			Help:    "Time from when a cause was noticed until the last copy was in step, by kind of rule and event.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{labelKind, "event"})),
		register(registry, &m.destinations, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "projection_destinations",
			Help: "Places where a copy is wanted, by kind of rule and state: in_step or failed.",
		}, []string{labelKind, "state"})),
		register(registry, &m.panics, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_panics_total",
			Help: "Panics of the operator by kind of rule. Each is a bug; the log has the stack.",
		}, []string{labelKind})),
		register(registry, &m.watches, newWatchCollector()),
		register(registry, &m.definitions, newDefinitionCollector()),
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

// begin lets the counters of a kind of rules begin at zero: Prometheus sees no increase where a series begins with one.
func (m *Metrics) begin(kind string) {
	for _, result := range []string{resultSuccess, resultConflict, resultSourceError, resultDestinationError} {
		m.passes.WithLabelValues(kind, result)
	}
	m.panics.WithLabelValues(kind)
	for _, state := range []string{stateInStep, stateFailed} {
		m.destinations.WithLabelValues(kind, state)
	}
}

// recordMetrics measures the pass.
func (s *scope[O]) recordMetrics(told conditionSet) {
	kind := s.id.Kind.Name
	if s.outcomes != nil {
		failed := filter(destination.Outcome.Failed, s.outcomes)
		pending := filter(func(o destination.Outcome) bool { return o.Pending && !o.Failed() }, s.outcomes)
		s.copyGauge.set(s.id.Key(), len(s.outcomes)-len(failed)-len(pending), len(failed))
	}
	if told.written.Reason == v1.ReasonDestinationWriteInProgress { // the reconcile after this one has the result
		return
	}
	s.deps.Metrics.passes.WithLabelValues(kind, result(told)).Inc()
	if told.ready.Status != metav1.ConditionTrue || !s.didSomething() {
		return
	}
	for cause, noticed := range s.triggers {
		s.deps.Metrics.endToEnd.WithLabelValues(kind, string(cause)).Observe(s.clock().Sub(noticed).Seconds())
	}
}

func (s *scope[O]) didSomething() bool {
	for _, outcomes := range [][]destination.Outcome{s.outcomes, s.removals} {
		for _, outcome := range outcomes {
			if outcome.Action != destination.Unchanged {
				return true
			}
		}
	}
	return false
}

func result(told conditionSet) string {
	switch {
	case told.resolved.Status != metav1.ConditionTrue:
		return resultSourceError
	case told.written.Status == metav1.ConditionTrue:
		return resultSuccess
	case told.written.Reason == v1.ReasonDestinationConflict:
		return resultConflict
	default:
		return resultDestinationError
	}
}
