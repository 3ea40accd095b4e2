package main

import (
	"context"
	"strconv"
	"strings"
)

// metrics are the values of a page of metrics, summed up over their labels.
type metrics map[string]float64

// Names of metrics.
const (
	metricPasses     = "projection_reconcile_total"
	metricGoroutines = "go_goroutines"
	metricHeap       = "go_memstats_heap_inuse_bytes"
	metricNextGC     = "go_memstats_next_gc_bytes" // twice what was alive at the last collection
	metricSeries     = "series"                    // not a metric, but the number of all
)

// measured returns what the manager measures.
func (r *runner) measured(ctx context.Context) (metrics, error) {
	page, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	values := metrics{}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		end := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || end < 0 {
			continue
		}
		name, _, _ := strings.Cut(line[:end], "{")
		if value, err := strconv.ParseFloat(line[end+1:], 64); err == nil {
			values[name] += value
			values[metricSeries]++
		}
	}
	return values, nil
}
