package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Watches returns how many watches are open, and how many of those fail at the moment.
type Watches func() (open, failing int)

// Scraped are the gauges of one kind of rules that are read at each scrape.
type Scraped struct {
	// Sources are the watches on sources. Both kinds of rules share them, so they are counted once.
	Sources Watches
	// Copies are the watches on copies.
	Copies Watches
	// Orphans counts the objects with the label of copies that name a rule as their owner which does not exist.
	Orphans func() int
	// OldestPending returns how long ago the oldest change was noticed that the operator has not dealt with; 0: there is none.
	OldestPending func() time.Duration
	// SchemaUncertain reports whether the CustomResourceDefinition has fields that the operator does not know, or cannot be read.
	SchemaUncertain func() bool
}

// Scrape has the gauges of the kind of rules read at each scrape.
func (m *Metrics) Scrape(kind string, scraped Scraped) {
	m.scraped.mu.Lock()
	defer m.scraped.mu.Unlock()
	m.scraped.sources, m.scraped.kinds[kind] = scraped.Sources, scraped
}

// scrapeCollector reads gauges when it is asked.
type scrapeCollector struct {
	sourceKinds, copyKinds, failing, uncertain, orphans, pending *prometheus.Desc

	mu      sync.Mutex
	sources Watches
	kinds   map[string]Scraped
}

func newScrapeCollector() *scrapeCollector {
	return &scrapeCollector{
		sourceKinds: prometheus.NewDesc("projection_watched_gvks",
			"Number of kinds that are watched for sources, and for objects in the place of copies.", nil, nil),
		copyKinds: prometheus.NewDesc("projection_watched_dest_gvks",
			"Number of watches on copies: one for each kind of copies and kind of rules.", nil, nil),
		failing: prometheus.NewDesc("projection_watches_failing",
			"Number of watches on sources or copies that are failing; each is retried with backoff.", nil, nil),
		uncertain: prometheus.NewDesc("projection_definitions_unknown",
			"Number of kinds of rules whose CRD has fields that the operator does not know, or whose CRD it cannot read.", nil, nil),
		orphans: prometheus.NewDesc("projection_orphans",
			"Number of objects with the label of copies that name a rule as their owner which does not exist, by kind of rule.",
			[]string{labelKind}, nil),
		pending: prometheus.NewDesc("projection_oldest_pending_seconds",
			"Age of the oldest change that the operator has not dealt with, or tries again to deal with, by kind of rule; 0 if there is none.",
			[]string{labelKind}, nil),
		kinds: map[string]Scraped{},
	}
}

// Describe implements prometheus.Collector.
func (c *scrapeCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, description := range []*prometheus.Desc{c.sourceKinds, c.copyKinds, c.failing, c.uncertain, c.orphans, c.pending} {
		descriptions <- description
	}
}

// Collect implements prometheus.Collector.
func (c *scrapeCollector) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sources, copies, failing, uncertain int
	if c.sources != nil {
		sources, failing = c.sources()
	}
	for name, kind := range c.kinds {
		metrics <- prometheus.MustNewConstMetric(c.orphans, prometheus.GaugeValue, float64(kind.Orphans()), name)
		metrics <- prometheus.MustNewConstMetric(c.pending, prometheus.GaugeValue, kind.OldestPending().Seconds(), name)
		open, broken := kind.Copies()
		copies, failing = copies+open, failing+broken
		if kind.SchemaUncertain() {
			uncertain++
		}
	}
	gauge := func(description *prometheus.Desc, value int) {
		metrics <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, float64(value))
	}
	gauge(c.sourceKinds, sources)
	gauge(c.copyKinds, copies)
	gauge(c.failing, failing)
	gauge(c.uncertain, uncertain)
}
