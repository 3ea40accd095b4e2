package typed

import "projection.sh/operator/primitives/feature"

// Lift turns a mutation that is written against the interface I into one of the mutator M, which implements it. A missing
// Mutate stays missing, so that it is reported by name.
func Lift[M any, I any](mutation feature.Mutation[I], as func(M) I) feature.Mutation[M] {
	lifted := feature.Mutation[M]{Name: mutation.Name, Feature: mutation.Feature}
	if mutation.Mutate != nil {
		lifted.Mutate = func(mutator M) error { return mutation.Mutate(as(mutator)) }
	}
	return lifted
}
