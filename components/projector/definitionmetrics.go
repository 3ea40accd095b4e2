package projector

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"projection.sh/operator/components/definition"
)

// definitionCollector counts the definitions of rules that have unknown fields or cannot be read, at each scrape.
type definitionCollector struct {
	doubted *prometheus.Desc

	mu          sync.Mutex
	definitions map[string]*definition.Definition // by kind of rule
}

func newDefinitionCollector() *definitionCollector {
	return &definitionCollector{
		doubted: prometheus.NewDesc("projection_definitions_unknown",
			"Kinds of rules whose definition has fields that the operator does not know, or cannot be read by it.", nil, nil),
		definitions: map[string]*definition.Definition{},
	}
}

// define has the collector count the definition of the kind of rule.
func (m *Metrics) define(rules string, definition *definition.Definition) {
	m.definitions.mu.Lock()
	defer m.definitions.mu.Unlock()
	m.definitions.definitions[rules] = definition
}

// Describe implements prometheus.Collector.
func (c *definitionCollector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.doubted
}

// Collect implements prometheus.Collector.
func (c *definitionCollector) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	doubted := 0
	for _, definition := range c.definitions {
		if definition.IsUncertain() {
			doubted++
		}
	}
	metrics <- prometheus.MustNewConstMetric(c.doubted, prometheus.GaugeValue, float64(doubted))
}
