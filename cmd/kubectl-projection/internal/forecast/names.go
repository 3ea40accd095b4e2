package forecast

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// names are those of the copies of a rule whose sources are selected and whose copies are named by an expression. Nil refuses none.
type names struct {
	// sources are the names of the sources, and taken has the source of each copy that is wanted.
	sources map[string]bool
	taken   map[types.NamespacedName]string
}

// namesOf returns the names of the copies of a rule with these sources, in the order in which the operator gives names.
func namesOf(rule owner.Spec, sources []owner.Spec) *names {
	if !rule.Selects() || rule.NameExpression == "" {
		return nil
	}
	n := &names{sources: map[string]bool{}, taken: map[types.NamespacedName]string{}}
	for _, spec := range sources {
		n.sources[spec.Source.Name] = true
	}
	return n
}

// refuse refuses the name that the copy of another source of the rule has, and that of another source. Of several sources with one name, the first
// has the copy.
func (n *names) refuse(spec owner.Spec, target *plan.Target) {
	if n == nil || target.Blocked != "" || target.NotPermitted != "" || target.Unnamed != nil {
		return
	}
	at, source := target.At(), spec.Source.Namespace+"/"+spec.Source.Name
	isOther := spec.CopyKind == "" && at.Namespace == spec.Source.Namespace && at.Name != spec.Source.Name && n.sources[at.Name]
	var why string
	switch holder, isTaken := n.taken[at]; {
	case isTaken:
		why = "which is the name of the copy of " + holder
	case isOther:
		why = "which is another source of this rule"
	default:
		n.taken[at] = source
		return
	}
	target.Unnamed = &destination.RenderError{Message: fmt.Sprintf("destination.nameExpression results in %q for %s, %s", at.Name, source, why), Taken: true}
}
