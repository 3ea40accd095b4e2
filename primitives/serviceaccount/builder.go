// Package serviceaccount is the primitive for ServiceAccounts.
package serviceaccount

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a ServiceAccount. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.StaticResource[*corev1.ServiceAccount, *Mutator]

// Builder builds a Resource.
type Builder = typed.StaticBuilder[corev1.ServiceAccount, *corev1.ServiceAccount, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.ServiceAccount) *Builder {
	return typed.NewStaticBuilder(object, typed.Kind[*corev1.ServiceAccount]{Name: "v1/ServiceAccount"}, NewMutator)
}
