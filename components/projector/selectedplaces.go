package projector

import (
	"context"
	"slices"
	"strings"

	"projection.sh/operator/components/plan"
)

// placeSelected returns the copies of the sources that the rule selects, by namespace and then by source. Sources of which it is not known what
// their copies are to be have none; their copies stay.
func (s *scope[O]) placeSelected(ctx context.Context) (plan.Copies, error) {
	targets, err := s.planner.ResolveTargets(ctx, s.rule) // since the sources were listed, their labels may have changed
	if err != nil {
		return plan.Copies{}, err
	}
	s.selected.targets = targets
	var all plan.Copies
	permitted, refused := map[string]bool{}, map[string]bool{}
	for number, source := range s.sources {
		if source.source == nil || source.renderer == nil || source.failed != nil {
			continue
		}
		copies, err := s.planner.Place(ctx, targets, source.renderer, source.permission)
		if err != nil {
			return plan.Copies{}, err
		}
		if source.failed = source.nameCopies(&copies); source.failed != nil {
			continue
		}
		if source.itself = copies.Itself; source.itself != "" {
			all.Itself = source.itself
		}
		has := map[string]bool{source.itself: true}
		for _, target := range copies.Targets {
			target.Source = number
			all.Targets = append(all.Targets, target)
			permitted[target.Namespace], has[target.Namespace] = true, true
		}
		for _, target := range targets {
			if copies.Skipped > 0 && !has[target.Namespace] {
				refused[target.Namespace] = true
			}
		}
	}
	for namespace := range refused { // one is skipped if no source is permitted there
		if !permitted[namespace] {
			all.Skipped++
		}
	}
	slices.SortStableFunc(all.Targets, func(a, b plan.Target) int { return strings.Compare(a.Namespace, b.Namespace) })
	s.refuseTaken(all.Targets)
	return all, nil
}
