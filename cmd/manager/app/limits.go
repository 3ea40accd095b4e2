package app

import (
	"time"

	"projection.sh/operator/components/lane"
)

// limits are the bounds of the requests for sources and copies.
func limits(options Options, perNamespace int) lane.Limits {
	return lane.Limits{
		PerLane:  perNamespace,
		PerRule:  options.SelectorWriteConcurrency,
		Total:    options.MaxConcurrentReconciles * options.SelectorWriteConcurrency,
		Slow:     time.Second,
		Wait:     250 * time.Millisecond,
		Remember: time.Minute,
	}
}
