package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// reading reads values at each scrape. It is safe for concurrent use.
type reading[T any] struct {
	mu   sync.Mutex
	read func() (T, bool)
}

func (r *reading[T]) set(read func() (T, bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = read
}

// get returns the values. It returns false if they are not known.
func (r *reading[T]) get() (values T, known bool) {
	r.mu.Lock()
	read := r.read
	r.mu.Unlock()
	if read == nil {
		return values, false
	}
	return read()
}

// gaugesTo returns a function that sends a gauge.
func gaugesTo(metrics chan<- prometheus.Metric) func(description *prometheus.Desc, value float64, labels ...string) {
	return func(description *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value, labels...)
	}
}
