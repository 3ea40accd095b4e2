package generic

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MutatorApplier records edits of one object and carries them out in one pass.
type MutatorApplier interface {
	// Apply carries out the recorded edits. The first error ends the pass.
	Apply() error
}

// FeatureMutator is a mutator that keeps the edits of its features apart: within a feature edits run in the order of
// their categories, and a later feature sees the results of the earlier ones.
type FeatureMutator interface {
	MutatorApplier
	// NextFeature opens the scope of the next feature. A new mutator has its first scope open.
	NextFeature()
}

// ApplyMutations changes current by all mutations whose gates are open, in the order given, and then, if suspender is
// not nil, by the edits that suspender records. It returns current as a T. After an error current may be half changed.
//
// The suspender gets a mutator of its own, so that it sees the mutated object and no edit is carried out twice.
func ApplyMutations[T client.Object, M MutatorApplier](
	current client.Object,
	newMutator func(T) M,
	mutations []Mutation[M],
	suspender func(M) error,
) (T, error) {
	var none T
	object, ok := current.(T)
	if !ok {
		return none, fmt.Errorf("type assertion failed: expected current to be assignable to %T, got %T", none, current)
	}
	mutator := newMutator(object)
	for i := range mutations {
		if err := mutations[i].ApplyIntent(mutator); err != nil {
			return none, fmt.Errorf("failed to apply mutation intent for %s: %w", mutations[i].Name, err)
		}
		if features, ok := any(mutator).(FeatureMutator); ok {
			features.NextFeature()
		}
	}
	if err := mutator.Apply(); err != nil {
		return none, fmt.Errorf("failed to apply planned mutations: %w", err)
	}
	if suspender != nil {
		if err := applySuspension(newMutator(object), suspender); err != nil {
			return none, err
		}
	}
	return object, nil
}

func applySuspension[M MutatorApplier](mutator M, suspender func(M) error) error {
	if err := suspender(mutator); err != nil {
		return fmt.Errorf("failed to apply suspension mutations: %w", err)
	}
	if err := mutator.Apply(); err != nil {
		return fmt.Errorf("failed to apply suspension mutations: %w", err)
	}
	return nil
}
