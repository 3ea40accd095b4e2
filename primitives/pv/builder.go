// Package pv is the primitive for PersistentVolumes, which are cluster-scoped: operational while they are available or bound. A
// suspension leaves it as it is.
package pv

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a PersistentVolume. It is made usable by a controller, and left alone by a suspension.
type Resource = typed.PermanentResource[corev1.PersistentVolume, *corev1.PersistentVolume, *Mutator]

var (
	_ concepts.Operational = (*Resource)(nil)
	_ concepts.Graceful    = (*Resource)(nil)
)

// Builder builds a Resource.
type Builder = typed.PermanentBuilder[corev1.PersistentVolume, *corev1.PersistentVolume, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.PersistentVolume) *Builder {
	return typed.NewPermanentBuilder(object, typed.Kind[*corev1.PersistentVolume]{Name: "v1/PersistentVolume", ClusterScoped: true}, NewMutator).
		WithCustomOperationalStatus(DefaultOperationalStatusHandler).
		WithCustomGraceStatus(DefaultGraceStatusHandler)
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.PersistentVolume) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
