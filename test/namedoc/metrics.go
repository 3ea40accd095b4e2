package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"projection.sh/operator/components/metrics"
)

// metric is what Prometheus is told of a metric.
type metric struct {
	name, kind, help string
	labels           []string
}

// recorder keeps what is registered with it.
type recorder struct {
	prometheus.Registerer
	collectors []prometheus.Collector
}

func (r *recorder) Register(collector prometheus.Collector) error {
	r.collectors = append(r.collectors, collector)
	return nil
}

// metricsOf returns the metrics of the operator, by name.
func metricsOf() ([]metric, error) {
	registered := &recorder{}
	if _, err := metrics.New(registered); err != nil {
		return nil, err
	}
	var found []metric
	for _, collector := range registered.collectors {
		described := make(chan *prometheus.Desc)
		go func() {
			defer close(described)
			collector.Describe(described)
		}()
		for description := range described {
			of, err := metricOf(description.String())
			if err != nil {
				return nil, err
			}
			of.kind = kindOf(collector)
			found = append(found, of)
		}
	}
	slices.SortFunc(found, func(a, b metric) int { return cmp.Compare(a.name, b.name) })
	return found, nil
}

// descriptionFormat is what a description says of itself; it has no other way to tell.
var descriptionFormat = regexp.MustCompile(`^Desc\{fqName: ("(?:[^"\\]|\\.)*"), help: ("(?:[^"\\]|\\.)*"),` +
	`(?: unit: "",)? constLabels: \{\}, variableLabels: \{(.*)\}\}$`)

func metricOf(description string) (metric, error) {
	parts := descriptionFormat.FindStringSubmatch(description)
	if parts == nil {
		return metric{}, fmt.Errorf("%s cannot be read", description)
	}
	of := metric{name: strings.Trim(parts[1], `"`), help: strings.Trim(parts[2], `"`)}
	if parts[3] != "" {
		of.labels = strings.Split(parts[3], ",")
	}
	return of, nil
}

// kindOf returns the type of the metrics of a collector.
func kindOf(collector prometheus.Collector) string {
	switch collector.(type) {
	case *prometheus.CounterVec:
		return "counter"
	case *prometheus.HistogramVec:
		return "histogram"
	default:
		return "gauge"
	}
}
