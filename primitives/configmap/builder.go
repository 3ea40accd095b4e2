// Package configmap is the primitive for ConfigMaps. Their content has a hash, which a workload can note to restart when it changes.
package configmap

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a ConfigMap. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.HashedResource[corev1.ConfigMap, *corev1.ConfigMap, *Mutator]

// Builder builds a Resource.
type Builder = typed.HashedBuilder[corev1.ConfigMap, *corev1.ConfigMap, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *corev1.ConfigMap) *Builder {
	return typed.NewHashedBuilder(object, typed.Kind[*corev1.ConfigMap]{Name: "v1/ConfigMap"}, NewMutator,
		typed.Hash[corev1.ConfigMap]{Kind: "configmap", Of: DataHash})
}

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(corev1.ConfigMap) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
