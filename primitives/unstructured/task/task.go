// Package task wraps an object without a Go type that runs to completion.
package task

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
	"projection.sh/operator/primitives/unstructured"
)

// Resource is an object without a Go type that runs to completion. It has no opinion about not being done in time: a
// component that only waits for tasks is down when its grace period is over.
type Resource = generic.TaskResource[*uns.Unstructured, *unstructured.Mutator]

var (
	_ concepts.Completable = (*Resource)(nil)
	_ concepts.Suspendable = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder struct {
	unstructured.SuspendableBuilder[*Builder]

	base *generic.TaskBuilder[*uns.Unstructured, *unstructured.Mutator]
}

// NewBuilder starts a resource from its baseline. It needs a converging status. Faults of the object are reported by
// Build.
func NewBuilder(object *uns.Unstructured) *Builder {
	b := &Builder{base: generic.NewTaskBuilder(object, unstructured.MakeIdentityFunc(false), unstructured.NewMutator)}
	b.SuspendableBuilder = unstructured.NewSuspendableBuilder(b, &b.base.BaseBuilder)
	return b
}

// WithCustomConvergeStatus sets the handler that tells how far the task is.
func (b *Builder) WithCustomConvergeStatus(
	handler func(concepts.ConvergingOperation, *uns.Unstructured) (concepts.CompletionStatusWithReason, error),
) *Builder {
	b.base.WithCustomConvergeStatus(handler)
	return b
}

// Build validates and returns the resource.
func (b *Builder) Build() (*Resource, error) { return b.base.Build() }

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(uns.Unstructured) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
