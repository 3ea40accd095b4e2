package feature

import "fmt"

// Mutation is a named change of a resource, recorded on its mutator T.
type Mutation[T any] struct {
	// Name is unique within a resource. Errors and inspections refer to it.
	Name string
	// Feature switches the mutation; nil means always on.
	Feature Gate
	// Mutate records the change. It touches nothing but the mutator.
	Mutate func(T) error
}

// ApplyIntent calls Mutate if the gate is open. Errors of the gate and of Mutate are returned as they are; a missing
// Mutate is an error only when it would run.
func (m *Mutation[T]) ApplyIntent(obj T) error {
	if m.Feature != nil {
		if enabled, err := m.Feature.Enabled(); err != nil || !enabled {
			return err
		}
	}
	if m.Mutate == nil {
		return fmt.Errorf("mutation handler of %s is nil", m.Name)
	}
	return m.Mutate(obj)
}
