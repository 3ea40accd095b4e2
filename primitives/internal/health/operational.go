package health

import (
	"projection.sh/operator/primitives/concepts"
)

// Verdict is how an object is that another controller makes usable.
type Verdict struct {
	Status concepts.OperationalStatus
	Reason string
	// GraceReason is the reason of the grace status where it is another one.
	GraceReason string
}

// Usable is the verdict on an object that can be used.
func Usable(reason string) Verdict {
	return Verdict{Status: concepts.OperationalStatusOperational, Reason: reason}
}

// Pending is the verdict on an object that cannot be used yet.
func Pending(reason string) Verdict {
	return Verdict{Status: concepts.OperationalStatusPending, Reason: reason}
}

// Failing is the verdict on an object that will not be usable.
func Failing(reason string) Verdict {
	return Verdict{Status: concepts.OperationalStatusFailing, Reason: reason}
}

// ByGrace sets the reason of the grace status.
func (v Verdict) ByGrace(reason string) Verdict {
	v.GraceReason = reason
	return v
}

// Operational reports whether the object is usable.
func (v Verdict) Operational() (concepts.OperationalStatusWithReason, error) {
	return concepts.OperationalStatusWithReason{Status: v.Status, Reason: v.Reason}, nil
}

// Grace tells how bad it is that the object is not usable: usable is Healthy, pending Degraded, failing Down.
func (v Verdict) Grace() (concepts.GraceStatusWithReason, error) {
	grace := concepts.GraceStatusWithReason{Status: concepts.GraceStatusDegraded, Reason: v.Reason}
	switch v.Status {
	case concepts.OperationalStatusOperational:
		grace.Status = concepts.GraceStatusHealthy
	case concepts.OperationalStatusFailing:
		grace.Status = concepts.GraceStatusDown
	default:
	}
	if v.GraceReason != "" {
		grace.Reason = v.GraceReason
	}
	return grace, nil
}
