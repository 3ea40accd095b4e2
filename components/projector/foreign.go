package projector

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// foreignObject is an object that names the rule as its owner and is no copy of it. It is left alone.
type foreignObject struct {
	kind source.Kind
	destination.Copy
}

// noteForeign notes the foreign objects of a kind about which no event was sent yet, except for those in the place of a wanted copy:
// conditions report these.
func (m *memberScope[O]) noteForeign(set copySet, planned map[types.NamespacedName]bool) {
	for _, met := range set.Cache.UnreportedForeign(m.scope.id.Key(), planned) {
		m.foreign = append(m.foreign, foreignObject{set.kind, met})
	}
}

// emitForeign sends events about the foreign objects that were noted: one event for all objects that name another place,
// and one for all that name none.
func (s *scope[O]) emitForeign() {
	var copied, marked []foreignObject
	for _, met := range s.local.foreign {
		if met.Elsewhere == s.id.Key() {
			copied = append(copied, met)
		} else {
			marked = append(marked, met)
		}
	}
	s.emitForeignEvent(copied, "it was made from a copy at another place, which its annotation "+v1.AnnotationPlace+
		" names; delete it, or take its labels and annotations "+v1.Domain+"/* off")
	s.emitForeignEvent(marked, "it names this rule as its owner, but the rule wants no copy there and nothing shows that it wrote this one; "+
		"delete it, or take its annotation "+s.id.Kind.Annotation+" off")
}

func (s *scope[O]) emitForeignEvent(met []foreignObject, why string) {
	if len(met) == 0 {
		return
	}
	first := met[0]
	note := fmt.Sprintf("left alone the %s %s: %s", first.kind.Kind, first.NamespacedName, why)
	var related runtime.Object
	if len(met) > 1 {
		note = fmt.Sprintf("left alone %d objects; of the %s %s: %s", len(met), first.kind.Kind, first.NamespacedName, why)
	} else { // else events on different objects would count as one
		related = relatedObject(first.kind, first.NamespacedName)
	}
	s.hub.Recorder.Eventf(s.before, related, corev1.EventTypeWarning, v1.ReasonDestinationLeftAlone, actionDelete, "%s", note)
}
