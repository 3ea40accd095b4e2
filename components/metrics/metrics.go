// Package metrics is what the operator measures of itself. No label holds the name of an object.
package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Result is how a reconcile ended, as the label "result" has it.
type Result string

// Results.
const (
	Success          Result = "success"
	Conflict         Result = "conflict"
	SourceError      Result = "source_error"
	DestinationError Result = "destination_error"
)

// labelKind is the label with the kind of rule.
const labelKind = "kind"

// States of copies, as the label "state" has them.
const (
	stateInSync = "in_step"
	stateFailed = "failed"
)

// Metrics are the operator's own metrics. They are safe for concurrent use.
type Metrics struct {
	reconciles   *prometheus.CounterVec
	propagation  *prometheus.HistogramVec
	destinations *prometheus.GaugeVec
	panics       *prometheus.CounterVec
	scraped      *scrapeCollector
}

// New registers the metrics. What is registered already is used.
func New(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{}
	return m, errors.Join(
		register(registry, &m.reconciles, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_reconcile_total",
			Help: "Number of reconciles by kind of rule and result: success, conflict, source_error or destination_error.",
		}, []string{labelKind, "result"})),
		register(registry, &m.propagation, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "projection_e2e_seconds",
			Help:    "Propagation latency from the triggering event until the last copy was in sync, by kind of rule and event.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{labelKind, "event"})),
		register(registry, &m.destinations, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "projection_destinations",
			Help: "Number of wanted copies by kind of rule and state: in_step (in sync) or failed.",
		}, []string{labelKind, "state"})),
		register(registry, &m.panics, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_panics_total",
			Help: "Number of panics of the operator by kind of rule. Each is a bug; the log contains the stack.",
		}, []string{labelKind})),
		register(registry, &m.scraped, newScrapeCollector()),
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

// Start sets the counters of a kind of rules to zero: Prometheus sees no increase where a series begins with one.
func (m *Metrics) Start(kind string) {
	for _, result := range []Result{Success, Conflict, SourceError, DestinationError} {
		m.reconciles.WithLabelValues(kind, string(result))
	}
	m.panics.WithLabelValues(kind)
	m.AddCopies(kind, 0, 0)
}

// Reconciled counts a reconcile of a rule.
func (m *Metrics) Reconciled(kind string, result Result) {
	m.reconciles.WithLabelValues(kind, string(result)).Inc()
}

// Propagated observes the time from an event until the last copy was written.
func (m *Metrics) Propagated(kind, event string, took time.Duration) {
	m.propagation.WithLabelValues(kind, event).Observe(took.Seconds())
}

// AddCopies adds to the numbers of copies that are in sync, and that have failed.
func (m *Metrics) AddCopies(kind string, inSync, failed int) {
	m.destinations.WithLabelValues(kind, stateInSync).Add(float64(inSync))
	m.destinations.WithLabelValues(kind, stateFailed).Add(float64(failed))
}

// Panicked counts a panic in a reconcile of a rule.
func (m *Metrics) Panicked(kind string) { m.panics.WithLabelValues(kind).Inc() }
