package projector

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// withMembers returns the spec with the objects that its selectors select among the layers, so that no copy takes the place of one.
func (s *scope[O]) withMembers(spec owner.Spec) owner.Spec {
	var members []v1.SourceRef
	for _, each := range s.selections {
		for _, member := range each.members {
			members = append(members, member.spec.Source)
		}
	}
	return plan.WithMembers(spec, members)
}
