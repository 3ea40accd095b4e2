package static

import (
	"slices"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/unstructured"
)

// Builder builds a Resource.
type Builder struct {
	base *generic.StaticBuilder[*uns.Unstructured, *unstructured.Mutator]
}

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *uns.Unstructured) *Builder {
	return &Builder{base: generic.NewStaticBuilder(object, unstructured.MakeIdentityFunc(false), unstructured.NewMutator)}
}

// MarkClusterScoped declares that the kind has no namespace. The object then must not have one.
func (b *Builder) MarkClusterScoped() *Builder {
	b.base.MarkClusterScoped()
	b.base.BaseRes.IdentityFunc = unstructured.MakeIdentityFunc(true)
	return b
}

// WithMutation adds mutations in the order given. Their names must be unique within the resource.
func (b *Builder) WithMutation(ms ...unstructured.Mutation) *Builder {
	b.base.BaseRes.Mutations = slices.Grow(b.base.BaseRes.Mutations, len(ms))
	for _, m := range ms {
		b.base.WithMutation(feature.Mutation[*unstructured.Mutator](m))
	}
	return b
}

// WithGuard sets the precondition that is checked before the object is applied; nil removes it. The guard sees a copy
// of the desired object.
func (b *Builder) WithGuard(guard func(uns.Unstructured) (concepts.GuardStatusWithReason, error)) *Builder {
	b.base.WithGuard(generic.WrapGuard(guard))
	return b
}

// WithDataExtractor adds a function that is called with the object as the API server returned it. Several run in the
// order given; nil is ignored.
func (b *Builder) WithDataExtractor(extractor func(uns.Unstructured) error) *Builder {
	b.base.WithDataExtractor(generic.WrapExtractor(extractor))
	return b
}

// Build validates and returns the resource. It fails for an object that is nil, has no name, or has a namespace that
// does not go with its scope, and for mutations of the same name.
func (b *Builder) Build() (*Resource, error) {
	resource, err := b.base.Build()
	if err != nil {
		return nil, err
	}
	return &Resource{base: resource}, nil
}
