package concepts

// Graceful is a resource that can tell how bad it is not to have converged in time.
type Graceful interface {
	// GraceStatus is asked once the grace period of the component has expired, unless the resource itself has converged.
	GraceStatus() (GraceStatusWithReason, error)
}

// GraceStatus is the severity of not having converged in time.
type GraceStatus string

// The severities.
const (
	GraceStatusHealthy  GraceStatus = "Healthy"
	GraceStatusDegraded GraceStatus = "Degraded"
	GraceStatusDown     GraceStatus = "Down"
)

// Priority orders severities: Down 3, Degraded 2, Healthy 1, anything else 0.
func (s GraceStatus) Priority() int {
	switch s {
	case GraceStatusDown:
		return 3
	case GraceStatusDegraded:
		return 2
	case GraceStatusHealthy:
		return 1
	default:
		return 0
	}
}

// GraceStatusWithReason is a severity and the sentence that explains it.
type GraceStatusWithReason struct {
	Status GraceStatus
	Reason string
}
