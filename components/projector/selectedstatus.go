package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// copiesOfFormerKept says that there are copies of sources that status.sources does not count.
const copiesOfFormerKept = "copies of sources that do not exist any more, or are not selected, are kept, as spec.policy.retain asks"

// selectedOnes returns the sources that the rule selects, to copy or to merge them.
func (s *scope[O]) selectedOnes() []*sourceScope[O] {
	if s.spec.MergesSelected() {
		return s.selections[0].members
	}
	return s.sources
}

// consenting returns how many of the selected sources may be copied.
func (s *scope[O]) consenting() int {
	count := 0
	for _, source := range s.selectedOnes() {
		if source.problem.IsZero() {
			count++
		}
	}
	return count
}

// foundSelected says how many of the objects that the selector matches may be copied.
func (s *scope[O]) foundSelected() string {
	kind, namespace, consenting, matched := s.kind.Kind, s.spec.Source.Namespace, s.consenting(), len(s.selectedOnes())
	var found string
	switch {
	case matched == 0:
		found = fmt.Sprintf("source.selector matches no %s in %s", kind, namespace)
	case consenting == 0:
		found = fmt.Sprintf("the owners of none of the %d %s objects in %s that source.selector matches consent", matched, kind, namespace)
	case consenting < matched:
		found = fmt.Sprintf("the owners of %d of the %d %s objects in %s that source.selector matches consent", consenting, matched, kind, namespace)
	case matched == 1:
		found = fmt.Sprintf("source.selector matches 1 %s in %s; it may be copied", kind, namespace)
	default:
		found = fmt.Sprintf("source.selector matches %d %s objects in %s; they may be copied", matched, kind, namespace)
	}
	if skipped := s.local.wanted.Skipped; skipped > 0 && s.spec.Selects() {
		found += fmt.Sprintf("; %d selected namespaces have no copy, because no owner permits one there", skipped)
	}
	if s.local.keptCopies {
		found += "; " + copiesOfFormerKept
	}
	return found
}

// reportSources sets how many sources the rule has, if it selects them.
func (s *scope[O]) reportSources() {
	status := s.rule.GetCommonStatus()
	switch {
	case !s.spec.Selects() && !s.spec.MergesSelected():
		status.Sources = nil
	case s.local.outcomes == nil:
	case s.hub.Schema.HasStatusField("sources"):
		status.Sources = new(int32(s.consenting())) //nolint:gosec // there are at most 500
	default:
		status.Sources = nil
	}
}

// byNamespace returns an outcome for each namespace: its first failure, with the number of others, or what is not in sync there.
func (s *scope[O]) byNamespace(outcomes []destination.Outcome) []destination.Outcome {
	if !s.spec.Selects() || outcomes == nil {
		return outcomes
	}
	merged := []destination.Outcome{}
	for first := 0; first < len(outcomes); {
		next := first
		for next < len(outcomes) && outcomes[next].Place.Namespace == outcomes[first].Place.Namespace {
			next++
		}
		merged = append(merged, mergeOutcomes(outcomes[first:next]))
		first = next
	}
	return merged
}

// moreFailed ends the message about a namespace with several failures.
const moreFailed = " in the namespace failed"

// mergeOutcomes returns the outcome of a namespace with these copies.
func mergeOutcomes(copies []destination.Outcome) destination.Outcome {
	if failed := filter(destination.Outcome.Failed, copies); len(failed) > 0 {
		first := failed[0]
		if first.Place.Name != "" {
			first.Message = first.Place.Name + ": " + first.Message
		}
		if others := len(failed) - 1; others == 1 {
			first.Message += "; 1 more copy" + moreFailed
		} else if others > 1 {
			first.Message += fmt.Sprintf("; %d more copies", others) + moreFailed
		}
		return first
	}
	for _, is := range []func(destination.Outcome) bool{
		isHeld, func(o destination.Outcome) bool { return o.Pending }, destination.Outcome.IsInSync,
	} {
		if at := slices.IndexFunc(copies, is); at >= 0 {
			return copies[at]
		}
	}
	return copies[0]
}

// checkFailed ends a reconcile with what is wrong with single sources. The others were copied, and the copies of these are kept.
func (s *scope[O]) checkFailed(context.Context) error {
	var failed []*plan.Error
	var causes []error
	for _, source := range append(slices.Clone(s.sources), s.unselectedInOrder()...) {
		if source.failed == nil {
			continue
		}
		stopped, ok := errors.AsType[*plan.Error](source.failed)
		if !ok {
			stopped = plan.Failed(v1.ConditionSourceResolved, policy.Problem{
				Reason: v1.ReasonSourceFetchFailed, Message: "the operator cannot read " + s.kind.NameOf(source.spec.Source),
			}, source.failed)
		}
		failed, causes = append(failed, stopped), append(causes, stopped.Err)
	}
	if len(failed) == 0 {
		return nil
	}
	reported := *failed[0]
	for _, other := range failed[1:] {
		reported.Retry = reported.Retry || other.Retry
		reported.Refused = reported.Refused && other.Refused
		reported.Transient = reported.Transient && other.Transient
	}
	reported.Err = errors.Join(causes...)
	if len(failed) > 1 {
		reported.Message = fmt.Sprintf("%d of %d sources are not copied, the first is: %s", len(failed), len(s.sources), reported.Message)
	}
	if reported.Copies == "" || reported.Copies == "copies are kept" {
		reported.Copies = "its copies are kept, and those of other sources are written"
		if len(failed) > 1 {
			reported.Copies = "their copies are kept, and those of other sources are written"
		}
	}
	return &reported
}

// unselectedInOrder returns the sources that were found to have copies and are not selected, by name.
func (s *scope[O]) unselectedInOrder() (unselected []*sourceScope[O]) {
	for _, source := range s.others {
		unselected = append(unselected, source)
	}
	slices.SortFunc(unselected, func(a, b *sourceScope[O]) int {
		if a.spec.Source.Name < b.spec.Source.Name {
			return -1
		}
		return 1
	})
	return unselected
}
