package projector

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// checkVanished returns an error if sources of which there are copies are not in the list of those that the rule selects in another cluster, and that
// may not be believed yet: another cluster may have answered, or too many sources have vanished at once.
//
// Example: the other cluster is restored from a backup of an earlier day.
func (s *scope[O]) checkVanished(ctx context.Context) error {
	vanished := s.vanished()
	if len(vanished) == 0 {
		return nil
	}
	if err := s.judge(ctx, source.ErrNotFound); !errors.Is(err, source.ErrNotFound) {
		return s.unlistedSources(s.kind, s.spec.Source, err)
	}
	var hold time.Duration
	for _, name := range vanished {
		hold = max(hold, s.from.Remote.HoldGone(s.newSourceScope(s.spec.For(name)).sourceRef()))
	}
	if hold == 0 {
		return nil
	}
	return &plan.Error{
		Condition: v1.ConditionSourceResolved, RequeueAfter: hold, Transient: true,
		Problem: policy.Problem{
			Reason:  v1.ReasonSourceDeleted,
			Message: "most sources in the cluster " + s.spec.Source.Cluster + " have vanished at once, also some that this rule selects",
			Copies:  "copies are kept for some minutes",
			Advice:  "if the cluster was restored from a backup, create the sources again; if they were deleted on purpose, wait",
		},
	}
}

// vanished returns the names of the sources in another cluster that the rule selects no more, and has copies of.
func (s *scope[O]) vanished() []string {
	if s.from.Remote == nil {
		return nil
	}
	names := s.namesWithCopies()
	for _, source := range s.sources {
		delete(names, source.spec.Source.Name)
	}
	return slices.Sorted(maps.Keys(names))
}
