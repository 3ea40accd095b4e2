package projector

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

const (
	noCopies       = "there are no copies"
	copiesRemoved  = "the copies were removed"
	removing       = "the copies are being removed"
	removalsFailed = "some copies could not be removed"
	copiesRetained = "its copies are kept, as spec.policy.retain asks"
)

// withKeptCopies adds to a problem of the source that nothing became of the copies: it is not known whether they are wanted.
func (s *scope[O]) withKeptCopies(problem policy.Problem) policy.Problem {
	switch {
	case problem.Copies != "":
	case !s.before.GetCommonStatus().MayHaveCopies():
		problem.Copies = noCopies
	default:
		problem.Copies = policy.CopiesKept
	}
	return problem
}

// withRevokedLayers says of a problem that copies were deleted for want of consent of the owner of a layer, if they were.
func (s *scope[O]) withRevokedLayers(problem policy.Problem) policy.Problem {
	if s.revokedLayers {
		problem.Copies = "copies with a layer whose owner does not consent were removed"
	}
	return problem
}

// withRemovedCopies adds to a problem for which no copy is wanted what became of the copies. A later reconcile, which finds none to remove,
// repeats what was reported.
//
// Example: the owner of a source opts out, and 12 copies are removed. After a restart, the operator still reports 12.
func (s *scope[O]) withRemovedCopies(problem policy.Problem) policy.Problem {
	if s.local.keptCopies {
		problem.Copies, problem.Advice = copiesRetained, "create it again to update them, or delete this rule"
	}
	if problem.IsZero() || problem.Copies != "" {
		return problem
	}
	reported := s.reportedRemoval(problem)
	switch removed := len(withAction(s.local.removals, destination.Deleted)); {
	case count(isHeld, s.local.removals) > 0:
		problem.Copies = keptSuspended
	case count(destination.Outcome.Failed, s.local.removals) > 0:
		problem.Copies = removalsFailed
	case s.local.isPending():
		problem.Copies = removing
	case reported == removing, reported == removalsFailed:
		problem.Copies = copiesRemoved
	case removed == 1:
		problem.Copies = "1 copy was removed"
	case removed > 1:
		problem.Copies = strconv.Itoa(removed) + " copies were removed"
	case reported != "":
		problem.Copies = reported
	default:
		problem.Copies = noCopies
	}
	return problem
}

// reportedRemoval returns what the status has reported of the copies for the same problem; empty if it has another one.
func (s *scope[O]) reportedRemoval(problem policy.Problem) string {
	before := meta.FindStatusCondition(s.before.GetCommonStatus().Conditions, v1.ConditionSourceResolved)
	if before == nil || before.Reason != problem.Reason {
		return ""
	}
	copies, same := strings.CutPrefix(before.Message, problem.Message+"; ")
	copies, _, _ = strings.Cut(copies, "; ")
	if !same || copies == copiesRetained || copies == keptSuspended { // none is kept any more
		return ""
	}
	return copies
}
