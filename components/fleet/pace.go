package fleet

import (
	"slices"
	"time"
)

const (
	// remembered is how many requests the pace of a cluster is known by.
	remembered = 9
	// maxTimeouts is how many requests in a row are given up until the cluster counts as slow.
	maxTimeouts = 2
)

// pace is how fast a cluster has answered.
type pace struct {
	last     []time.Duration // of the last requests, the oldest first
	timeouts int             // in a row
}

// add notes a request that has ended, or was given up.
func (p *pace) add(took time.Duration, timedOut bool) {
	if len(p.last) == remembered {
		p.last = p.last[1:]
	}
	p.last = append(p.last, took)
	p.timeouts++
	if !timedOut {
		p.timeouts = 0
	}
}

// isSlow reports whether most requests have taken longer than slowTime, or the last ones were given up.
func (p *pace) isSlow() bool {
	if p.timeouts >= maxTimeouts {
		return true
	}
	sorted := slices.Sorted(slices.Values(p.last))
	return len(sorted) > 0 && sorted[len(sorted)/2] > slowTime
}
