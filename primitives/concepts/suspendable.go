package concepts

// Suspendable is a resource that can be suspended: paused, scaled to zero or deleted, as its kind needs it.
type Suspendable interface {
	// DeleteOnSuspend reports whether the resource is deleted once it is suspended. A component asks before it applies the
	// suspended form, not to create what it would delete; and again afterwards, when the resource is as the API server
	// returned it. The second answer counts.
	DeleteOnSuspend() bool
	// Suspend has the next Mutate of the resource suspend the object, too. It changes no object.
	Suspend() error
	// SuspensionStatus tells how far the suspension is, from the resource as it was last applied.
	SuspensionStatus() (SuspensionStatusWithReason, error)
}

// SuspensionStatus is how far a suspension is.
type SuspensionStatus string

// The statuses of a suspension.
const (
	SuspensionStatusPending    SuspensionStatus = "PendingSuspension"
	SuspensionStatusSuspending SuspensionStatus = "Suspending"
	SuspensionStatusSuspended  SuspensionStatus = "Suspended"
)

// Priority orders the statuses by how far they are from the end: PendingSuspension 3, Suspending 2, Suspended 1,
// anything else 0.
func (s SuspensionStatus) Priority() int {
	switch s {
	case SuspensionStatusPending:
		return 3
	case SuspensionStatusSuspending:
		return 2
	case SuspensionStatusSuspended:
		return 1
	default:
		return 0
	}
}

// SuspensionStatusWithReason is a status and the sentence that explains it.
type SuspensionStatusWithReason struct {
	Status SuspensionStatus
	Reason string
}
