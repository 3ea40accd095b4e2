package generic

import (
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// BaseResource is what all resources have in common. Builders make it; its fields are for wrappers.
//
// A resource is meant for one reconcile: once it was applied, DesiredObject holds the answer of the API server, with
// every default and every field of others, which a second apply would claim.
type BaseResource[T client.Object, M MutatorApplier] struct {
	// DesiredObject is the baseline, and after Mutate or RecordObservation the object that was passed to it.
	DesiredObject T
	// IdentityFunc names the object uniquely within a component.
	IdentityFunc func(T) string
	// DataExtractors hand values of the object on.
	DataExtractors []func(T) error
	// DataExtractions put values of the object into cells, after the DataExtractors.
	DataExtractions []DataExtraction[T]
	// DataConsumptions are the cells that the resource reads. It waits for those that are not optional.
	DataConsumptions []concepts.DataConsumption
	// MetricsIdent is the name of the resource in metrics; empty for none of its own.
	MetricsIdent string
	// NewMutator returns a mutator that edits the object in place.
	NewMutator func(T) M
	// Mutations are applied in this order.
	Mutations []Mutation[M]
	// Suspender is the suspension that the next Mutate carries out; nil for none.
	Suspender func(M) error
	// GuardHandler is the guard; nil never blocks.
	GuardHandler func(T) (concepts.GuardStatusWithReason, error)
	// SuspendStatusHandler tells how far the suspension is.
	SuspendStatusHandler func(T) (concepts.SuspensionStatusWithReason, error)
	// SuspendMutationHandler records the edits that put the object to rest.
	SuspendMutationHandler func(M) error
	// DeleteOnSuspendHandler reports whether the object is deleted once suspended; nil means no.
	DeleteOnSuspendHandler func(T) bool
}

// Identity names the desired object.
func (r *BaseResource[T, M]) Identity() string { return r.IdentityFunc(r.DesiredObject) }

// Object returns a copy of the desired object.
func (r *BaseResource[T, M]) Object() (client.Object, error) { return r.copyObject(), nil }

// Mutate changes current by the enabled mutations and by a suspension that was armed, and makes it the desired object.
func (r *BaseResource[T, M]) Mutate(current client.Object) error {
	suspender := r.Suspender
	r.Suspender = nil
	mutated, err := ApplyMutations(current, r.NewMutator, r.Mutations, suspender)
	if err != nil {
		return err
	}
	r.DesiredObject = mutated
	return nil
}

// ExtractData calls the extractors and then the declared extractions, in order and each with a copy of the object. The first
// error ends it.
func (r *BaseResource[T, M]) ExtractData() error {
	for _, extract := range r.DataExtractors {
		if err := extract(r.copyObject()); err != nil {
			return err
		}
	}
	for _, extraction := range r.DataExtractions {
		if err := extraction.Extract(r.copyObject()); err != nil {
			return fmt.Errorf("extract data %q: %w", extraction.Cell.Name(), err)
		}
	}
	return nil
}

// RecordObservation makes an object that was read the desired object.
func (r *BaseResource[T, M]) RecordObservation(observed client.Object) error {
	object, ok := observed.(T)
	if !ok {
		return fmt.Errorf("failed to record observation: expected object of type %T, got %T", object, observed)
	}
	r.DesiredObject = object
	return nil
}

// GuardStatus blocks while a guarded cell has no value. Otherwise it asks the guard, with a copy of the desired object.
func (r *BaseResource[T, M]) GuardStatus() (concepts.GuardStatusWithReason, error) {
	if reason := r.missingData(); reason != "" {
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: reason}, nil
	}
	if r.GuardHandler == nil {
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
	}
	return r.GuardHandler(r.copyObject())
}

// DeleteOnSuspend reports whether the object is deleted once suspended.
func (r *BaseResource[T, M]) DeleteOnSuspend() bool {
	return r.DeleteOnSuspendHandler != nil && r.DeleteOnSuspendHandler(r.DesiredObject)
}

// Suspend arms the next Mutate, and only that, to put the object to rest.
func (r *BaseResource[T, M]) Suspend() error {
	if r.SuspendMutationHandler == nil {
		return errors.New("suspend mutation handler is not configured")
	}
	r.Suspender = r.SuspendMutationHandler
	return nil
}

// SuspensionStatus tells how far the suspension is.
func (r *BaseResource[T, M]) SuspensionStatus() (concepts.SuspensionStatusWithReason, error) {
	if r.SuspendStatusHandler == nil {
		return concepts.SuspensionStatusWithReason{}, errors.New("suspend status handler is not configured")
	}
	return r.SuspendStatusHandler(r.DesiredObject)
}

func (r *BaseResource[T, M]) copyObject() T { return r.DesiredObject.DeepCopyObject().(T) }
