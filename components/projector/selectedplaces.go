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
	permitted := map[string]bool{}
	selected := len(filterTargets(s.selected.targets))
	for number, source := range s.sources {
		if source.source == nil || source.renderer == nil || source.failed != nil {
			continue
		}
		copies, err := source.place(ctx, source.renderer)
		if err != nil {
			return plan.Copies{}, err
		}
		for _, target := range copies.Targets {
			target.Source = number
			all.Targets = append(all.Targets, target)
			permitted[target.Namespace] = permitted[target.Namespace] || target.Selected
		}
		all.Skipped += copies.Skipped
	}
	if all.Skipped > 0 { // a namespace is skipped if no source is permitted there
		count := 0
		for _, found := range permitted {
			if found {
				count++
			}
		}
		all.Skipped = selected - count
	}
	slices.SortStableFunc(all.Targets, func(a, b plan.Target) int { return strings.Compare(a.Namespace, b.Namespace) })
	return all, nil
}

// filterTargets returns the targets that the rule selects by their labels.
func filterTargets(targets []plan.Target) (selected []plan.Target) {
	for _, target := range targets {
		if target.Selected {
			selected = append(selected, target)
		}
	}
	return selected
}
