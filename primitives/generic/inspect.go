package generic

import (
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// PreviewObject returns a copy of the desired object after all enabled mutations, without a suspension. It changes no
// state.
func (r *BaseResource[T, M]) PreviewObject() (T, error) {
	return ApplyMutations(r.copyObject(), r.NewMutator, r.Mutations, nil)
}

// Preview is PreviewObject for callers that do not know the type.
func (r *BaseResource[T, M]) Preview() (client.Object, error) {
	object, err := r.PreviewObject()
	if err != nil {
		return nil, err
	}
	return object, nil
}

// RegisteredMutations returns the names of all mutations in the order of registration, each once.
func (r *BaseResource[T, M]) RegisteredMutations() []string {
	names := make([]string, 0, len(r.Mutations))
	for _, mutation := range r.Mutations {
		if !slices.Contains(names, mutation.Name) {
			names = append(names, mutation.Name)
		}
	}
	return names
}

// FiringSet returns the names of the mutations whose gates are open, in the order of registration.
func (r *BaseResource[T, M]) FiringSet() ([]string, error) {
	names := make([]string, 0, len(r.Mutations))
	for _, mutation := range r.Mutations {
		enabled := true
		if mutation.Feature != nil {
			var err error
			if enabled, err = mutation.Feature.Enabled(); err != nil {
				return nil, fmt.Errorf("evaluating gate for mutation %q: %w", mutation.Name, err)
			}
		}
		if enabled && !slices.Contains(names, mutation.Name) {
			names = append(names, mutation.Name)
		}
	}
	return names, nil
}
