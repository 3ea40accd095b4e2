package watch

import (
	"hash/fnv"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
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

// changed notes an event and returns who is to be woken: followers unless only the status changed, and the blocked if
// the obstacle is gone or was given to them.
func (p *place) changed(object metav1.Object, deleted bool) []wakeUp {
	var woken []wakeUp
	mark := fingerprintOf(object)
	if deleted || !mark.equals(p.print) {
		for rule := range p.followers {
			woken = append(woken, wakeUp{rule, SourceChanged})
		}
	}
	p.seen, p.print = object.GetResourceVersion(), mark
	if deleted {
		p.print = fingerprint{}
	}
	for rule, obstacle := range p.blocked {
		obstacle.stir()
		if deleted || owns(rule, object) {
			woken = append(woken, wakeUp{rule, CopyChanged})
		}
	}
	return woken
}

// startedOver notes that events may have been missed.
func (p *place) startedOver() {
	p.seen, p.print = "", fingerprint{}
	for _, obstacle := range p.blocked {
		obstacle.stir()
	}
}

func owns(rule Rule, object metav1.Object) bool {
	for _, tier := range []owner.Tier{owner.Namespaced, owner.Cluster} {
		if named, found := tier.OwnerOf(object); found && tier.Kind == rule.Kind && named == rule.NamespacedName {
			return true
		}
	}
	return false
}
