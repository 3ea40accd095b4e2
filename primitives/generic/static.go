package generic

import "sigs.k8s.io/controller-runtime/pkg/client"

// StaticResource is ready as soon as it is applied. Wrappers leave out its suspension methods, so that a suspension
// leaves the object as it is.
type StaticResource[T client.Object, M MutatorApplier] struct {
	BaseResource[T, M]
}

// StaticBuilder builds a StaticResource.
type StaticBuilder[T client.Object, M MutatorApplier] struct {
	fluentBuilder[*StaticBuilder[T, M], T, M]
}

// NewStaticBuilder starts a static resource. Faults of the arguments are reported by Build.
func NewStaticBuilder[T client.Object, M MutatorApplier](
	obj T, identityFunc func(T) string, newMutator func(T) M,
) *StaticBuilder[T, M] {
	b := &StaticBuilder[T, M]{}
	b.init(b, obj, identityFunc, newMutator)
	return b
}

// Build validates and returns the resource.
func (b *StaticBuilder[T, M]) Build() (*StaticResource[T, M], error) {
	if err := b.ValidateBase(); err != nil {
		return nil, err
	}
	return &StaticResource[T, M]{BaseResource: *b.BaseRes}, nil
}
