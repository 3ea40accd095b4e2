// Package integration wraps an object without a Go type whose readiness is in the hands of another controller.
package integration

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
	"projection.sh/operator/primitives/unstructured"
)

// Resource is an object without a Go type that another controller makes usable.
type Resource = generic.IntegrationResource[*uns.Unstructured, *unstructured.Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder struct {
	unstructured.SuspendableBuilder[*Builder]

	base *generic.IntegrationBuilder[*uns.Unstructured, *unstructured.Mutator]
}

// NewBuilder starts a resource from its baseline. It needs an operational status. Faults of the object are reported by
// Build.
func NewBuilder(object *uns.Unstructured) *Builder {
	b := &Builder{base: generic.NewIntegrationBuilder(object, unstructured.MakeIdentityFunc(false), unstructured.NewMutator)}
	b.SuspendableBuilder = unstructured.NewSuspendableBuilder(b, &b.base.BaseBuilder)
	return b
}

// WithCustomOperationalStatus sets the handler that reports whether the object is usable.
func (b *Builder) WithCustomOperationalStatus(
	handler func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.OperationalStatusWithReason, error),
) *Builder {
	b.base.WithCustomOperationalStatus(handler)
	return b
}

// WithCustomGraceStatus replaces the handler that tells how bad it is not to have converged in time; by default that is
// Healthy.
func (b *Builder) WithCustomGraceStatus(handler func(*uns.Unstructured) (concepts.GraceStatusWithReason, error)) *Builder {
	b.base.WithCustomGraceStatus(handler)
	return b
}

// Build validates and returns the resource.
func (b *Builder) Build() (*Resource, error) { return b.base.Build() }

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(uns.Unstructured) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
