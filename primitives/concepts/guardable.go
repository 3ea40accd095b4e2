package concepts

// Guardable is a resource that may have to wait. While its guard blocks, neither it nor any later resource of its
// component is touched.
type Guardable interface {
	// GuardStatus is asked before the resource is applied or read, and sees the desired object.
	GuardStatus() (GuardStatusWithReason, error)
}

// GuardStatus is the result of a guard.
type GuardStatus string

// The results. Unblocked is a signal to the component and never appears in a condition.
const (
	GuardStatusBlocked   GuardStatus = "Blocked"
	GuardStatusUnblocked GuardStatus = "Unblocked"
)

// GuardStatusWithReason is a result and the sentence that explains it.
type GuardStatusWithReason struct {
	Status GuardStatus
	Reason string
}
