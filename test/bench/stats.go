package main

import (
	"math"
	"slices"
	"time"
)

// percentile returns the smallest value that at least so many percent of the values do not exceed.
func percentile(values []float64, percent float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// results are what was measured of one copier, by the names that lines have.
type results map[string][]float64

// put notes a value. Of several under one name, the median counts.
func (r results) put(name string, value float64) { r[name] = append(r[name], value) }

// get returns the value under a name.
func (r results) get(name string) (float64, bool) {
	values, found := r[name]
	return percentile(values, 50), found
}

// requests notes a number of requests, if they are known.
func (r results) requests(name string, w work, count int, per int) {
	if w.counted {
		r.put(name, float64(count)/float64(per))
	}
}
