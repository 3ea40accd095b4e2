package projector

import "context"

// plan finds out which copies there are to be.
func (s *scope[O]) plan(ctx context.Context) (err error) {
	if s.source == nil {
		return nil
	}
	s.local.wanted, err = s.planner.Render(ctx, s.rule, s.kind, s.source)
	return err
}
