// Package pdb is the primitive for PodDisruptionBudgets.
package pdb

import (
	policyv1 "k8s.io/api/policy/v1"

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
