package health

import "projection.sh/operator/primitives/concepts"

// Suspended is the status of an object for whose suspension nothing is left to be done.
func Suspended(reason string) (concepts.SuspensionStatusWithReason, error) {
	return concepts.SuspensionStatusWithReason{Status: concepts.SuspensionStatusSuspended, Reason: reason}, nil
}

// Suspending is the status of an object whose suspension is under way.
func Suspending(reason string) (concepts.SuspensionStatusWithReason, error) {
	return concepts.SuspensionStatusWithReason{Status: concepts.SuspensionStatusSuspending, Reason: reason}, nil
}
