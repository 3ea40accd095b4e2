package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
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

func readMetrics(ctx context.Context, address string) (metrics, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the metrics: %s", response.Status)
	}
	values := metrics{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		line := lines.Text()
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
	return values, lines.Err()
}

// isOK tells whether a probe answers so.
func isOK(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}
