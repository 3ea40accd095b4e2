package metrics

import "github.com/prometheus/client_golang/prometheus"

// Publications are the gauges of the PublishedResources.
type Publications struct {
	// States counts them by their condition Ready.
	States map[Readiness]int
	// InSync, Failed and Pending count the objects of consumers. Pending are those that have not been dealt with.
	InSync, Failed, Pending int
}

// ScrapePublications has the gauges of the PublishedResources read at each scrape. Without it, or while read returns false, there are none.
func (m *Metrics) ScrapePublications(read func() (Publications, bool)) {
	m.publications.set(read)
}

// publicationCollector reads the gauges of the PublishedResources when it is asked.
type publicationCollector struct {
	reading[Publications]

	resources, objects *prometheus.Desc
}

func newPublicationCollector() *publicationCollector {
	return &publicationCollector{
		resources: prometheus.NewDesc("projection_published_resources",
			"Number of PublishedResources by status and reason of their condition Ready.", []string{"ready", "reason"}, nil),
		objects: prometheus.NewDesc("projection_published_objects",
			"Number of objects of consumers that PublishedResources accept, by state: in_sync, failed, or pending.", []string{"state"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *publicationCollector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.resources
	descriptions <- c.objects
}

// Collect implements prometheus.Collector.
func (c *publicationCollector) Collect(metrics chan<- prometheus.Metric) {
	publications, known := c.get()
	if !known {
		return
	}
	gauge := gaugesTo(metrics)
	for state, count := range publications.States {
		gauge(c.resources, float64(count), state.Status, state.Reason)
	}
	gauge(c.objects, float64(publications.InSync), "in_sync")
	gauge(c.objects, float64(publications.Failed), "failed")
	gauge(c.objects, float64(publications.Pending), "pending")
}
