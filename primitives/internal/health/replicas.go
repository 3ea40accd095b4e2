// Package health holds the rules by which several kinds tell how they are. The handlers of a kind fill in what they know.
//
// A converging status is healthy if and only if the grace status is: a component asks both, and a converged resource that
// is Down by grace would take it down.
package health

import (
	"fmt"

	"projection.sh/operator/primitives/concepts"
)

// Replicas is what an object that makes pods says of them.
type Replicas struct {
	// Controller is how the controller of the kind is called, Title how the kind is.
	Controller, Title string
	// Noun is what the kind calls its pods.
	Noun string
	// Generation is that of the object, ObservedGeneration the newest one that its controller has seen.
	Generation, ObservedGeneration int64
	// Desired and Ready are numbers of pods.
	Desired, Ready int32
	// Rollout says what is missing once all pods are ready; "" for nothing.
	Rollout string
}

// Converging tells how far the pods are.
func (r Replicas) Converging(op concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
	if stale := concepts.StaleGenerationStatus(op, r.ObservedGeneration, r.Generation, r.Controller); stale != nil {
		return *stale, nil
	}
	if r.Ready != r.Desired {
		return concepts.AliveStatusWithReason{
			Status: byOperation(op, concepts.AliveConvergingStatusScaling),
			Reason: fmt.Sprintf("Waiting for %s: %d/%d ready", r.Noun, r.Ready, r.Desired),
		}, nil
	}
	if r.Rollout != "" {
		return concepts.AliveStatusWithReason{Status: byOperation(op, concepts.AliveConvergingStatusUpdating), Reason: r.Rollout}, nil
	}
	return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusHealthy, Reason: r.allReady()}, nil
}

// Grace tells how bad it is that the pods are not further.
func (r Replicas) Grace() (concepts.GraceStatusWithReason, error) {
	status := concepts.GraceStatusDegraded
	var reason string
	switch {
	case r.Ready == 0 && r.Desired > 0:
		status, reason = concepts.GraceStatusDown, fmt.Sprintf("No %s are ready", r.Noun)
	case r.stale():
		reason = r.waitingForController()
	case r.Ready != r.Desired:
		reason = r.Title + " partially available"
	case r.Rollout != "":
		reason = r.Rollout
	default:
		status, reason = concepts.GraceStatusHealthy, r.allReady()
	}
	return concepts.GraceStatusWithReason{Status: status, Reason: reason}, nil
}

// Suspension tells how far scaling to zero is, given the pods that run and those that are being terminated. While the
// controller has not seen the newest spec, these numbers may be from before.
//
// Example: an object is suspended while its status still says 0 from the suspension before; its controller is just starting
// pods.
func (r Replicas) Suspension(running, terminating int32) (concepts.SuspensionStatusWithReason, error) {
	switch {
	case r.stale():
		return Suspending(r.waitingForController())
	case running > 0:
		return Suspending(fmt.Sprintf("Waiting for replicas to scale down, %d replicas still running.", running))
	case terminating > 0:
		return Suspending(fmt.Sprintf("Waiting for %d terminating replicas", terminating))
	default:
		return Suspended(r.Title + " scaled to zero")
	}
}

// Available says what is missing for all pods to be available, which is asked only if they have to be ready for some time.
func (r Replicas) Available(available, minReadySeconds int32) string {
	if minReadySeconds > 0 && available < r.Desired {
		return fmt.Sprintf("Waiting for replicas: %d/%d available", available, r.Desired)
	}
	return ""
}

func (r Replicas) stale() bool { return r.ObservedGeneration < r.Generation }

func (r Replicas) waitingForController() string {
	return fmt.Sprintf("Waiting for %s controller to observe latest spec", r.Controller)
}

func (r Replicas) allReady() string { return fmt.Sprintf("All %s are ready", r.Noun) }

func byOperation(op concepts.ConvergingOperation, otherwise concepts.AliveConvergingStatus) concepts.AliveConvergingStatus {
	switch op {
	case concepts.ConvergingOperationCreated:
		return concepts.AliveConvergingStatusCreating
	case concepts.ConvergingOperationUpdated:
		return concepts.AliveConvergingStatusUpdating
	default:
		return otherwise
	}
}

// DesiredOf returns the number of pods that a spec asks for.
func DesiredOf(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
