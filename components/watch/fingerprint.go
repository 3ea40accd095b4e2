package watch

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

// contentFingerprint is equal for two events of an object if nothing that a copy depends on has changed between them.
type contentFingerprint struct {
	generation int64
	metadata   uint64
}

// contentFingerprintOf covers the generation, which the API server raises when more than metadata and status change, and the
// labels and annotations. That of a kind without a generation is equal to none.
func contentFingerprintOf(object metav1.Object) contentFingerprint {
	hash := fnv.New64a()
	for _, entries := range []map[string]string{object.GetLabels(), object.GetAnnotations()} {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			_, _ = hash.Write([]byte(key + "\x00" + entries[key] + "\x00"))
		}
		_, _ = hash.Write([]byte{1})
	}
	_, _ = hash.Write([]byte(object.GetUID()))
	return contentFingerprint{generation: object.GetGeneration(), metadata: hash.Sum64()}
}

func (f contentFingerprint) equals(other contentFingerprint) bool {
	return f.generation != 0 && f == other
}

// ownershipFingerprint covers what decides whether an object blocks a copy: which object it is, whether it is being deleted, and
// which owner and place it names. That of an object that is gone is 0.
func ownershipFingerprint(object metav1.Object) uint64 {
	hash := fnv.New64a()
	note := func(entries map[string]string, key string) {
		value, found := entries[key]
		if found {
			value = "=" + value
		}
		_, _ = hash.Write([]byte(value + "\x00"))
	}
	for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		note(object.GetAnnotations(), kind.Annotation)
		note(object.GetLabels(), kind.Label)
	}
	note(object.GetAnnotations(), v1.AnnotationPlace)
	_, _ = hash.Write([]byte(object.GetUID()))
	if object.GetDeletionTimestamp() != nil {
		_, _ = hash.Write([]byte{1})
	}
	return hash.Sum64()
}

// definitionFingerprint is equal for two events of a CustomResourceDefinition if the API server serves the same in between. It covers the
// generation, which the API server raises when the spec changes, and who wrote the status when: the API server does so when it accepts the
// names and establishes the kind.
func definitionFingerprint(definition metav1.Object) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d %t", definition.GetUID(), definition.GetGeneration(), definition.GetDeletionTimestamp() != nil)
	for _, entry := range definition.GetManagedFields() {
		if entry.Subresource == "status" {
			_, _ = fmt.Fprintf(hash, " %q %s %s", entry.Manager, entry.Operation, entry.Time)
		}
	}
	return hash.Sum64()
}
