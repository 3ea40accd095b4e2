package projector

import "context"

// checkConsent asks whether the source may be copied. If not, the copies are deleted: the rule wants none. The guard of each copy
// asks again right before the copy is written.
func (s *scope[O]) checkConsent(context.Context) error {
	if s.source == nil {
		return nil
	}
	if s.problem = s.planner.CheckConsent(s.rule, s.source); !s.problem.IsZero() {
		s.source = nil
	}
	return nil
}
