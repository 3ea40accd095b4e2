package destination

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
)

// StateOf returns the State of the object to rules of the kind.
func StateOf(kind owner.RuleKind, object metav1.Object) State { return stateOf(kind, object) }

// HasIn reports whether an object in that state has the content of the copy; of one that only has to exist, whether the object may keep its content.
// That is what labels and annotations say: who owns the fields is not looked at.
func (c DesiredCopy) HasIn(state State) bool {
	if k, isKept := parseKept(c.Content); isKept {
		return k.isSourceOf(state) && k.hasMarks(state)
	}
	return isContent(state.Content, c.Content)
}

// MergesAllIn reports whether the copy has each of the layers that an object in that state names.
func (c DesiredCopy) MergesAllIn(state State) bool {
	layers := State{Content: c.Rendered}.Layers()
	return !slices.ContainsFunc(state.Layers(), func(layer string) bool { return !slices.Contains(layers, layer) })
}

// Has reports whether the set is among the sets.
func (s FieldSets) Has(set Fields) bool { return slices.Contains(s, set) }
