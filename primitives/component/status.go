package component

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/concepts"
)

// Status is the state of a component and the reason of its condition. The strings are part of the API.
type Status string

// The statuses of a component as a whole.
const (
	Error              Status = "Error"
	FeatureGateError   Status = "FeatureGateError"
	Down               Status = Status(concepts.GraceStatusDown)
	Degraded           Status = Status(concepts.GraceStatusDegraded)
	PendingSuspension  Status = Status(concepts.SuspensionStatusPending)
	Suspending         Status = Status(concepts.SuspensionStatusSuspending)
	Suspended          Status = Status(concepts.SuspensionStatusSuspended)
	Disabled           Status = "Disabled"
	PrerequisiteNotMet Status = "PrerequisiteNotMet"
	Unknown            Status = "Unknown"
)

// The statuses that come from single resources.
const (
	AliveFailing      Status = Status(concepts.AliveConvergingStatusFailing)
	OperationFailing  Status = Status(concepts.OperationalStatusFailing)
	CompletionFailing Status = Status(concepts.CompletionStatusFailing)
	GuardBlocked      Status = Status(concepts.GuardStatusBlocked)
	AliveScaling      Status = Status(concepts.AliveConvergingStatusScaling)
	CompletionRunning Status = Status(concepts.CompletionStatusRunning)
	AliveUpdating     Status = Status(concepts.AliveConvergingStatusUpdating)
	AliveCreating     Status = Status(concepts.AliveConvergingStatusCreating)
	OperationPending  Status = Status(concepts.OperationalStatusPending)
	CompletionPending Status = Status(concepts.CompletionStatusPending)
	Healthy           Status = Status(concepts.AliveConvergingStatusHealthy)
	Operational       Status = Status(concepts.OperationalStatusOperational)
	Completed         Status = Status(concepts.CompletionStatusCompleted)
)

// byPriority lists the statuses from the least to the most important; those of one entry are equal.
var byPriority = [][]Status{
	{Unknown},
	{Completed},
	{Operational},
	{Healthy},
	{CompletionPending},
	{OperationPending},
	{AliveCreating},
	{AliveUpdating},
	{CompletionRunning},
	{AliveScaling},
	{GuardBlocked, PrerequisiteNotMet},
	{CompletionFailing},
	{OperationFailing},
	{AliveFailing},
	{Disabled},
	{Suspended},
	{Suspending},
	{PendingSuspension},
	{Degraded},
	{Down},
	{Error, FeatureGateError},
}

// Priority orders statuses by importance, from 20 for errors down to 1 for Completed. What is unknown has 0.
func (s Status) Priority() int {
	return max(0, slices.IndexFunc(byPriority, func(equal []Status) bool { return slices.Contains(equal, s) }))
}

// Healthy reports whether the status is one that a resource ends in when all went well.
func (s Status) Healthy() bool { return s == Healthy || s == Operational || s == Completed }

// severity groups the statuses whose reasons are told together.
func (s Status) severity() int {
	switch s {
	case Healthy, Operational, Completed:
		return 1
	case AliveCreating, OperationPending, CompletionPending, GuardBlocked:
		return 2
	case AliveUpdating:
		return 3
	case AliveScaling, CompletionRunning:
		return 4
	case AliveFailing, OperationFailing, CompletionFailing:
		return 5
	default:
		return 0
	}
}

// sticky reports whether the status stays the reason of the condition until the component is healthy or its grace
// period is over.
func (s Status) sticky() bool { return s == AliveCreating || s == AliveUpdating || s == AliveScaling }

// startsAfresh reports whether a component that was in this status converges as if for the first time.
func (s Status) startsAfresh() bool {
	switch s {
	case Unknown, Disabled, FeatureGateError, PrerequisiteNotMet, PendingSuspension, Suspending, Suspended:
		return true
	default:
		return s.Healthy()
	}
}

// conditionStatus is the status of the condition that has this status as its reason.
func (s Status) conditionStatus() metav1.ConditionStatus {
	if s.Healthy() || s == Suspended || s == Disabled {
		return metav1.ConditionTrue
	}
	return metav1.ConditionFalse
}
