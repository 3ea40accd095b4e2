package destination

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/owner"
)

// StateOf returns the State of the object to rules of the kind.
func StateOf(kind owner.RuleKind, object metav1.Object) State { return stateOf(kind, object) }

// HasIn reports whether an object in that state has the content of the copy.
func (c DesiredCopy) HasIn(state State) bool { return isContent(state.Content, c.Content) }

// Has reports whether the set is among the sets.
func (s FieldSets) Has(set Fields) bool { return slices.Contains(s, set) }
