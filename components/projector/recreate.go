package projector

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
)

// recreations returns what the rule recreates of its copies; nil: they stay as they are if they cannot be changed in place.
func (s *scope[O]) recreations() (made *destination.Recreations) {
	recreates := s.spec.Policy.OnImmutable == v1.ImmutableRecreate
	s.remembered(func(r *memory.Rule) {
		if recreates && r.Recreations == nil {
			r.Recreations = destination.NewRecreations(s.clock)
		}
		if recreates {
			made = r.Recreations
		}
	})
	return made
}
