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

// Adoption is what became of an object that a rule was to adopt, as the label "result" has it.
type Adoption string

// Results of adoptions.
const (
	Adopted         Adoption = "adopted"
	AdoptionDiffers Adoption = "differs"
	AdoptionRefused Adoption = "refused"
)

// Labels: the kind of rule, and how something ended.
const (
	labelKind   = "kind"
	labelResult = "result"
)

// States of copies, as the label "state" has them.
const (
	stateInSync  = "in_step"
	stateFailed  = "failed"
	stateHeld    = "held"
	stateSkipped = "skipped"
)

// Metrics are the operator's own metrics. They are safe for concurrent use.
type Metrics struct {
	reconciles   *prometheus.CounterVec
	propagation  *prometheus.HistogramVec
	elsewhere    *prometheus.HistogramVec // what propagation is to copies in other clusters
	destinations *prometheus.GaugeVec
	rules        *prometheus.GaugeVec
	panics       *prometheus.CounterVec
	expressions  *prometheus.HistogramVec
	waves        *prometheus.HistogramVec
	adoptions    *prometheus.CounterVec
	scraped      *scrapeCollector
	clusters     *clusterCollector
	publications *publicationCollector
}

// New registers the metrics. What is registered already is used.
func New(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{}
	return m, errors.Join(
		register(registry, &m.reconciles, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_reconcile_total",
			Help: "Number of reconciles by kind of rule and result: success, conflict, source_error or destination_error.",
		}, []string{labelKind, labelResult})),
		register(registry, &m.propagation, newPropagation("projection_e2e_seconds",
			"Propagation latency from the triggering event until the last copy was in sync, by kind of rule and event.")),
		register(registry, &m.elsewhere, newPropagation("projection_cluster_e2e_seconds",
			"Propagation latency from the triggering event until the last copy in another cluster was in sync, by kind of rule and event.")),
		register(registry, &m.destinations, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "projection_destinations",
			Help: "Number of wanted copies by kind of rule and state: in_step (in sync), failed, held (the rule is suspended), or skipped (the namespace gets none).",
		}, []string{labelKind, "state"})),
		register(registry, &m.rules, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "projection_rules",
			Help: "Number of rules by kind, and by status and reason of their condition Ready.",
		}, []string{labelKind, "ready", "reason"})),
		register(registry, &m.panics, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_panics_total",
			Help: "Number of panics of the operator by kind of rule. Each is a bug; the log contains the stack.",
		}, []string{labelKind})),
		register(registry, &m.expressions, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "projection_expression_seconds",
			Help:    "Time to evaluate the expressions of a rule for its source or for one target, by result: success or error.",
			Buckets: []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 2},
		}, []string{labelResult})),
		register(registry, &m.waves, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "projection_rollout_wave_seconds",
			Help:    "Time from the first change of a copy of a wave until the wave was finished, by kind of rule.",
			Buckets: []float64{1, 5, 15, 60, 300, 900, 3600, 14400, 86400},
		}, []string{labelKind})),
		register(registry, &m.adoptions, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "projection_adoptions_total",
			Help: "Number of attempts to adopt an object in the place of a copy, by kind of rule and result: adopted, differs (AdoptIdentical), or refused.",
		}, []string{labelKind, labelResult})),
		register(registry, &m.scraped, newScrapeCollector()),
		register(registry, &m.clusters, newClusterCollector()),
		register(registry, &m.publications, newPublicationCollector()),
	)
}

// Elsewhere returns the metrics for copies in other clusters: a separate latency, and the same panics, evaluations and adoptions. What
// else is measured with them is not exported: the metrics of the rules count the copies in all clusters.
func (m *Metrics) Elsewhere() (*Metrics, error) {
	elsewhere, err := New(prometheus.NewRegistry())
	elsewhere.propagation, elsewhere.panics, elsewhere.expressions, elsewhere.adoptions = m.elsewhere, m.panics, m.expressions, m.adoptions
	return elsewhere, err
}

// newPropagation returns a histogram of times from an event until copies were in sync.
func newPropagation(name, help string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{labelKind, "event"})
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
	for _, result := range []Adoption{Adopted, AdoptionDiffers, AdoptionRefused} {
		m.adoptions.WithLabelValues(kind, string(result))
	}
	m.panics.WithLabelValues(kind)
	m.waves.WithLabelValues(kind)
	m.ReplaceCopies(kind, Copies{}, Copies{})
}

// Reconciled counts a reconcile of a rule.
func (m *Metrics) Reconciled(kind string, result Result) {
	m.reconciles.WithLabelValues(kind, string(result)).Inc()
}

// Propagated observes the time from an event until the last copy was written.
func (m *Metrics) Propagated(kind, event string, took time.Duration) {
	m.propagation.WithLabelValues(kind, event).Observe(took.Seconds())
}

// Copies are the numbers of the copies that one rule wants. Held are those that would be created or updated if the rule were not suspended, or that wait
// for their turn in a rollout; Skipped are namespaces that get none.
type Copies struct{ InSync, Failed, Held, Skipped int }

// Plus returns the sum.
func (c Copies) Plus(other Copies) Copies {
	return Copies{c.InSync + other.InSync, c.Failed + other.Failed, c.Held + other.Held, c.Skipped + other.Skipped}
}

// ReplaceCopies counts the copies of a rule in place of those that were counted before.
func (m *Metrics) ReplaceCopies(kind string, counted, before Copies) {
	m.destinations.WithLabelValues(kind, stateInSync).Add(float64(counted.InSync - before.InSync))
	m.destinations.WithLabelValues(kind, stateFailed).Add(float64(counted.Failed - before.Failed))
	m.destinations.WithLabelValues(kind, stateHeld).Add(float64(counted.Held - before.Held))
	m.destinations.WithLabelValues(kind, stateSkipped).Add(float64(counted.Skipped - before.Skipped))
}

// Readiness is the status and the reason of a condition Ready. The zero value: a rule that is not counted.
type Readiness struct{ Status, Reason string }

// ReplaceRule counts a rule with the readiness that it has, in place of the one that was counted before.
func (m *Metrics) ReplaceRule(kind string, counted, before Readiness) {
	if before != (Readiness{}) {
		m.rules.WithLabelValues(kind, before.Status, before.Reason).Dec()
	}
	if counted != (Readiness{}) {
		m.rules.WithLabelValues(kind, counted.Status, counted.Reason).Inc()
	}
}

// Evaluated observes the time that the expressions of a rule took for its source or for one target, and whether they gave values.
func (m *Metrics) Evaluated(took time.Duration, ok bool) {
	result := "error"
	if ok {
		result = "success"
	}
	m.expressions.WithLabelValues(result).Observe(took.Seconds())
}

// Panicked counts a panic in a reconcile of a rule.
func (m *Metrics) Panicked(kind string) { m.panics.WithLabelValues(kind).Inc() }

// WaveFinished observes how long a wave of a rollout took.
func (m *Metrics) WaveFinished(kind string, took time.Duration) {
	m.waves.WithLabelValues(kind).Observe(took.Seconds())
}

// AdoptionEnded counts an attempt of a rule to adopt an object.
func (m *Metrics) AdoptionEnded(kind string, result Adoption) {
	m.adoptions.WithLabelValues(kind, string(result)).Inc()
}
