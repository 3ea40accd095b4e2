package typed

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

// StaticResource is ready as soon as it is applied, and left alone by a suspension: it has no methods of suspension, by
// which a component would find them.
type StaticResource[P client.Object, M generic.MutatorApplier] struct {
	base *generic.BaseResource[P, M]
}

// NewStaticResource hides the methods of suspension of base.
func NewStaticResource[P client.Object, M generic.MutatorApplier](base *generic.BaseResource[P, M]) StaticResource[P, M] {
	return StaticResource[P, M]{base}
}

// Identity names the object.
func (r *StaticResource[P, M]) Identity() string { return r.base.Identity() }

// Object returns a copy of the desired object.
func (r *StaticResource[P, M]) Object() (client.Object, error) { return r.base.Object() }

// Mutate changes current by the enabled mutations and makes it the desired object.
func (r *StaticResource[P, M]) Mutate(current client.Object) error { return r.base.Mutate(current) }

// GuardStatus asks the guard.
func (r *StaticResource[P, M]) GuardStatus() (concepts.GuardStatusWithReason, error) {
	return r.base.GuardStatus()
}

// ExtractData calls the extractors.
func (r *StaticResource[P, M]) ExtractData() error { return r.base.ExtractData() }

// ProducedData returns the cells that the resource puts values into.
func (r *StaticResource[P, M]) ProducedData() []concepts.DataCell { return r.base.ProducedData() }

// ConsumedData returns the cells that the resource reads.
func (r *StaticResource[P, M]) ConsumedData() []concepts.DataConsumption {
	return r.base.ConsumedData()
}

// MetricsIdentifier returns the name of the resource in metrics, or "" if it has none of its own.
func (r *StaticResource[P, M]) MetricsIdentifier() string { return r.base.MetricsIdentifier() }

// RecordObservation makes an object that was read the desired object.
func (r *StaticResource[P, M]) RecordObservation(observed client.Object) error {
	return r.base.RecordObservation(observed)
}

// Preview is PreviewObject for callers that do not know the type.
func (r *StaticResource[P, M]) Preview() (client.Object, error) { return r.base.Preview() }

// PreviewObject returns a copy of the desired object after all enabled mutations. It needs no API server.
func (r *StaticResource[P, M]) PreviewObject() (P, error) { return r.base.PreviewObject() }

// RegisteredMutations returns the names of all mutations in the order of registration.
func (r *StaticResource[P, M]) RegisteredMutations() []string { return r.base.RegisteredMutations() }

// FiringSet returns the names of the mutations whose gates are open.
func (r *StaticResource[P, M]) FiringSet() ([]string, error) { return r.base.FiringSet() }

// StaticBuilder builds a StaticResource.
type StaticBuilder[K any, P Pointer[K], M generic.MutatorApplier] struct {
	Builder[*StaticBuilder[K, P, M], K, P, M]

	kind Kind[P]
	base *generic.StaticBuilder[P, M]
}

// NewStaticBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by
// Build.
func NewStaticBuilder[K any, P Pointer[K], M generic.MutatorApplier](
	object P, kind Kind[P], newMutator func(P) M,
) *StaticBuilder[K, P, M] {
	b := &StaticBuilder[K, P, M]{kind: kind, base: generic.NewStaticBuilder(object, kind.identity, newMutator)}
	b.Builder = newBuilder[*StaticBuilder[K, P, M], K](b, kind, &b.base.BaseBuilder)
	return b
}

// Build validates and returns the resource.
func (b *StaticBuilder[K, P, M]) Build() (*StaticResource[P, M], error) {
	resource, err := b.base.Build()
	if err != nil {
		return nil, err
	}
	if err := b.kind.validate(resource.DesiredObject); err != nil {
		return nil, err
	}
	return new(NewStaticResource(&resource.BaseResource)), nil
}
