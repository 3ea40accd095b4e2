package projector

import (
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
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
