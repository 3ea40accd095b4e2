// Package serviceaccount is the primitive for ServiceAccounts.
package serviceaccount

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
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

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.ServiceAccount) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
