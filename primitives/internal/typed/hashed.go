package typed

import (
	"fmt"

	"projection.sh/operator/primitives/generic"
)

// Hash says how the content of a kind is hashed.
type Hash[K any] struct {
	// Kind is what errors call the kind.
	Kind string
	// Of returns the hash of an object.
	Of func(K) (string, error)
}

// HashedResource is a StaticResource whose content has a hash.
type HashedResource[K any, P Pointer[K], M generic.MutatorApplier] struct {
	StaticResource[P, M]

	hash Hash[K]
}

// DesiredHash returns the hash of what PreviewObject returns: that of the content to be applied. It needs no API server.
//
// Example: a mutation of a Deployment notes the hash of a ConfigMap in the pod template, so that new content restarts the
// pods in the same reconcile.
func (r *HashedResource[K, P, M]) DesiredHash() (string, error) {
	object, err := r.PreviewObject()
	if err != nil {
		return "", r.hashError(err)
	}
	hash, err := r.hash.Of(*object)
	if err != nil {
		return "", r.hashError(err)
	}
	return hash, nil
}

func (r *HashedResource[K, P, M]) hashError(err error) error {
	return fmt.Errorf("%s %s: failed to compute desired hash: %w", r.hash.Kind, r.Identity(), err)
}

// HashedBuilder builds a HashedResource.
type HashedBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	Builder[*HashedBuilder[K, P, M], K, P, M]

	base *generic.StaticBuilder[P, M]
	hash Hash[K]
}

// NewHashedBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by
// Build.
func NewHashedBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M, hash Hash[K],
) *HashedBuilder[K, P, M] {
	b := &HashedBuilder[K, P, M]{base: generic.NewStaticBuilder(object, kind.identity, newMutator), hash: hash}
	b.Builder = newBuilder[*HashedBuilder[K, P, M], K](b, kind, &b.base.BaseBuilder)
	return b
}

// Build validates and returns the resource.
func (b *HashedBuilder[K, P, M]) Build() (*HashedResource[K, P, M], error) {
	resource, err := b.base.Build()
	if err != nil {
		return nil, err
	}
	return &HashedResource[K, P, M]{StaticResource: NewStaticResource(&resource.BaseResource), hash: b.hash}, nil
}
