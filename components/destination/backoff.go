package destination

import (
	"fmt"
	"time"

	v1 "projection.sh/operator/api/v1"
)

// drift is what somebody else did to a copy.
type drift struct {
	changedBy string // field manager; empty if unknown
	deleted   bool
}

// backoff is what is known of a copy whose repairs back off.
type backoff struct {
	drift
	// pause is the time until the next repair of a copy that has drifted, or until one that is in sync counts as repaired.
	pause time.Duration
	// fields are what our field manager owns of the copy if it is in sync.
	fields Fields
}

// failure returns the outcome as the failure of a copy whose repairs back off.
func (b backoff) failure(outcome Outcome) Outcome {
	outcome.Reason, outcome.Err, outcome.RetryAfter = v1.ReasonDestinationConflict, nil, b.pause
	outcome.Message = b.drift.who() + " keeps changing the copy; its repair is delayed by up to 30 seconds; " +
		"stop that writer, or take what it changes out of the source"
	if b.deleted {
		outcome.Message = b.drift.who() + " keeps deleting the copy, or its label; it is created again after up to 30 seconds; " +
			"stop that, or delete the rule"
	}
	if outcome.Fields == 0 {
		outcome.Fields = b.fields
	}
	return outcome
}

func (d drift) who() string {
	if d.changedBy == "" {
		return "somebody"
	}
	return fmt.Sprintf("field manager %q", d.changedBy)
}
