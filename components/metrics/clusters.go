package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Clusters are the gauges of the RemoteClusters.
type Clusters struct {
	// States counts them by their condition Ready.
	States map[Readiness]int
	// Orphans is how many objects in these clusters say that they are copies of a rule of this hub that does not exist.
	Orphans int
	// Owed is for how many rules copies were left in a cluster that could not be reached, summed over the clusters.
	Owed int
	// CredentialsExpire is when the first of the credentials ends. The zero time: none of them says so.
	CredentialsExpire time.Time
}

// ScrapeClusters has the gauges of the RemoteClusters read at each scrape. Without it, or while read returns false, there are none.
func (m *Metrics) ScrapeClusters(read func() (Clusters, bool)) {
	m.clusters.set(read)
}

// clusterCollector reads the gauges of the RemoteClusters when it is asked.
type clusterCollector struct {
	reading[Clusters]

	clusters, orphans, owed, expiry *prometheus.Desc
}

func newClusterCollector() *clusterCollector {
	return &clusterCollector{
		clusters: prometheus.NewDesc("projection_clusters",
			"Number of RemoteClusters by status and reason of their condition Ready.", []string{"ready", "reason"}, nil),
		orphans: prometheus.NewDesc("projection_cluster_orphans",
			"Number of objects in other clusters that name a rule of this one as their owner which does not exist.", nil, nil),
		owed: prometheus.NewDesc("projection_cluster_owed",
			"Number of entries in status.owed of all RemoteClusters: rules that have left copies in a cluster that could not be reached.", nil, nil),
		expiry: prometheus.NewDesc("projection_cluster_credentials_expiry_timestamp_seconds",
			"Unix time at which the first of the credentials for other clusters ends; missing if none of them says so.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *clusterCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, description := range []*prometheus.Desc{c.clusters, c.orphans, c.owed, c.expiry} {
		descriptions <- description
	}
}

// Collect implements prometheus.Collector.
func (c *clusterCollector) Collect(metrics chan<- prometheus.Metric) {
	clusters, known := c.get()
	if !known {
		return
	}
	gauge := gaugesTo(metrics)
	for state, count := range clusters.States {
		gauge(c.clusters, float64(count), state.Status, state.Reason)
	}
	gauge(c.orphans, float64(clusters.Orphans))
	gauge(c.owed, float64(clusters.Owed))
	if !clusters.CredentialsExpire.IsZero() {
		gauge(c.expiry, float64(clusters.CredentialsExpire.Unix()))
	}
}
