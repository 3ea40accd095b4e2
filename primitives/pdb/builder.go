// Package pdb is the primitive for PodDisruptionBudgets.
package pdb

import (
	policyv1 "k8s.io/api/policy/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a PodDisruptionBudget. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.StaticResource[*policyv1.PodDisruptionBudget, *Mutator]

// Builder builds a Resource.
type Builder = typed.StaticBuilder[policyv1.PodDisruptionBudget, *policyv1.PodDisruptionBudget, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *policyv1.PodDisruptionBudget) *Builder {
	return typed.NewStaticBuilder(object, typed.Kind[*policyv1.PodDisruptionBudget]{Name: "policy/v1/PodDisruptionBudget"}, NewMutator)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(policyv1.PodDisruptionBudget) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
