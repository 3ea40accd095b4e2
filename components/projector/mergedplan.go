package projector

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// withMembers returns the spec with the objects that its selectors select among the layers, so that no copy takes the place of one.
func (s *scope[O]) withMembers(spec owner.Spec) owner.Spec {
	for _, each := range s.selections {
		for _, member := range each.members {
			spec.Merge.Layers = append(slices.Clip(spec.Merge.Layers), v1.LayerSpec{Source: member.spec.Source})
		}
	}
	return spec
}

// skipMembers leaves out the places of selected objects where the rule selects the namespaces, too.
func (s *scope[O]) skipMembers() {
	if len(s.selections) == 0 || s.hasNameExpression() { // as for layers that the rule names
		return
	}
	s.local.wanted.Targets = slices.DeleteFunc(s.local.wanted.Targets, func(target plan.Target) bool {
		return target.Selected && s.isMember(ObjectRef{s.copyKind.GroupKind(), types.NamespacedName{Namespace: target.Namespace, Name: target.Name}})
	})
}

// isMember reports whether a selector of the rule selects the object.
func (s *scope[O]) isMember(object ObjectRef) bool {
	return slices.ContainsFunc(s.selections, func(each *mergedSelection[O]) bool {
		return each.isOf(object) && slices.ContainsFunc(each.members, func(member *sourceScope[O]) bool { return member.sourceKey() == object.NamespacedName })
	})
}
