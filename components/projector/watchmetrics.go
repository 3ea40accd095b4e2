package projector

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/watch"
)

// watchCollector counts the watches when it is asked.
type watchCollector struct {
	sourceKinds, copyKinds, failing *prometheus.Desc

	mu          sync.Mutex
	sources     *watch.Sources
	inventories map[string]*destination.Inventory // by kind of rule
}

func newWatchCollector() *watchCollector {
	return &watchCollector{
		sourceKinds: prometheus.NewDesc("projection_watched_gvks",
			"Kinds whose sources are watched.", nil, nil),
		copyKinds: prometheus.NewDesc("projection_watched_dest_gvks",
			"Watches on copies: one for each kind of copies, and kind of rules that has made them.", nil, nil),
		failing: prometheus.NewDesc("projection_watches_failing",
			"Watches on sources or copies that cannot follow at the moment; each is tried again with backoff.", nil, nil),
		inventories: map[string]*destination.Inventory{},
	}
}

// watch makes these the watches that are counted for the kind of rule.
func (m *Metrics) watch(rules string, sources *watch.Sources, inventory *destination.Inventory) {
	m.watches.mu.Lock()
	defer m.watches.mu.Unlock()
	m.watches.sources, m.watches.inventories[rules] = sources, inventory
}

// Describe implements prometheus.Collector.
func (c *watchCollector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.sourceKinds
	descriptions <- c.copyKinds
	descriptions <- c.failing
}

// Collect implements prometheus.Collector.
func (c *watchCollector) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sources, copies, failing int
	if c.sources != nil {
		sources, failing = c.sources.Watches()
	}
	for _, inventory := range c.inventories {
		open, broken := inventory.Watches()
		copies, failing = copies+open, failing+broken
	}
	metrics <- prometheus.MustNewConstMetric(c.sourceKinds, prometheus.GaugeValue, float64(sources))
	metrics <- prometheus.MustNewConstMetric(c.copyKinds, prometheus.GaugeValue, float64(copies))
	metrics <- prometheus.MustNewConstMetric(c.failing, prometheus.GaugeValue, float64(failing))
}
