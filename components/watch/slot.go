package watch

import (
	"hash/fnv"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// fingerprint tells whether anything that a copy depends on may have changed between two events.
type fingerprint struct {
	generation int64
	metadata   uint64
}

// fingerprintOf covers the generation, which the API server raises when more than metadata and status change, and the
// labels and annotations. Kinds that have no generation are never equal to anything.
func fingerprintOf(object metav1.Object) fingerprint {
	hash := fnv.New64a()
	for _, entries := range []map[string]string{object.GetLabels(), object.GetAnnotations()} {
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			_, _ = hash.Write([]byte(key + "\x00" + entries[key] + "\x00"))
		}
		_, _ = hash.Write([]byte{1})
	}
	_, _ = hash.Write([]byte(object.GetUID()))
	return fingerprint{generation: object.GetGeneration(), metadata: hash.Sum64()}
}

func (f fingerprint) equals(other fingerprint) bool { return f.generation != 0 && f == other }

// consentOf returns the annotation by which the owner of the object consents, if there is one.
func consentOf(object metav1.Object) map[string]string {
	if consent, found := object.GetAnnotations()[v1.AnnotationProjectable]; found {
		return map[string]string{v1.AnnotationProjectable: consent}
	}
	return nil
}

// changed notes an event and returns who is to be woken: followers unless only the status changed, and the blocked if
// the obstacle is not what it was.
func (s *slot) changed(object metav1.Object, deleted bool) []notification {
	var woken []notification
	mark := fingerprintOf(object)
	if deleted || !mark.equals(s.content) {
		for rule := range s.followers {
			woken = append(woken, notification{rule, SourceChanged})
		}
	}
	s.version, s.content = object.GetResourceVersion(), mark
	s.lastEvent = LastEvent{ResourceVersion: s.version, Deleted: deleted, Annotations: consentOf(object)}
	if deleted {
		s.content = fingerprint{}
	}
	if len(s.blocked) == 0 {
		return woken
	}
	marks := ownershipFingerprint(object)
	if deleted {
		marks = 0
	}
	for rule, obstacle := range s.blocked {
		if obstacle.changed(object.GetResourceVersion(), marks) {
			woken = append(woken, notification{rule, CopyChanged})
		}
	}
	return woken
}
