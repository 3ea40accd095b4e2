// Package static wraps an object that has no Go type and is ready as soon as it is applied.
package static

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/typed"
	"projection.sh/operator/primitives/unstructured"
)

// Resource is an object without a Go type that is ready as soon as it is applied. It contributes nothing to the health
// of its component and is left alone by a suspension.
type Resource = typed.StaticResource[*uns.Unstructured, *unstructured.Mutator]

var (
	_ concepts.Guardable           = (*Resource)(nil)
	_ concepts.DataExtractable     = (*Resource)(nil)
	_ concepts.ObservationRecorder = (*Resource)(nil)
	_ concepts.Previewable         = (*Resource)(nil)
	_ concepts.MutationInspector   = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder struct {
	unstructured.CommonBuilder[*Builder]

	base *generic.StaticBuilder[*uns.Unstructured, *unstructured.Mutator]
}

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *uns.Unstructured) *Builder {
	b := &Builder{base: generic.NewStaticBuilder(object, unstructured.MakeIdentityFunc(false), unstructured.NewMutator)}
	b.CommonBuilder = unstructured.NewCommonBuilder(b, &b.base.BaseBuilder)
	return b
}

// Build validates and returns the resource. It fails for an object that is nil, has no name, or has a namespace that
// does not go with its scope, and for mutations of the same name.
func (b *Builder) Build() (*Resource, error) {
	resource, err := b.base.Build()
	if err != nil {
		return nil, err
	}
	return new(typed.NewStaticResource(&resource.BaseResource)), nil
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(uns.Unstructured) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
