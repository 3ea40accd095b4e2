package projector

import (
	"context"
	"fmt"
	"strings"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// awaitClusters returns an error as long as a rule that is being deleted may have copies in other clusters. It no longer waits for a cluster that
// somebody has given up, or that could not be reached for as long as its RemoteCluster says.
func (s *scope[O]) awaitClusters(ctx context.Context) error {
	if s.branch != nil || len(s.clusters) == 0 {
		return nil
	}
	before, left := s.recorded(), map[string]string{}
	var waits waiting
	for _, cluster := range s.clusters {
		identity, given := before[cluster.Name], abandoned(s.rule).Has(cluster.Name)
		report, reported := s.reportOf(cluster)
		released, after := s.isReleased(cluster)
		switch {
		case identity == "", reported && report.IsDeleting && report.IsClear:
		case given || released || cluster.isAnother(identity):
			if err := s.giveUp(ctx, cluster.Name, identity); err != nil {
				return err
			}
		default:
			left[cluster.Name] = identity
			waits.add(cluster, reported, after)
		}
	}
	if len(left) == 0 {
		return nil
	}
	if len(left) < len(before) {
		base := s.rule.DeepCopyObject().(O)
		s.setRecorded(left)
		if err := s.patch(ctx, base); err != nil {
			return err
		}
	}
	return waits.err(s.reportedProblems())
}

// waiting are the clusters that a rule which is being deleted waits for.
type waiting struct {
	unusable, others []string
	again            time.Duration
	cause            *plan.Error
}

func (w *waiting) add(cluster DestinationCluster, _ bool, after time.Duration) {
	if cluster.Err == nil {
		w.others = append(w.others, cluster.Name)
		return
	}
	w.unusable = append(w.unusable, cluster.Name)
	w.again = soonest(w.again, after)
	if w.cause == nil {
		w.cause = cluster.Err
	}
}

// err says what the rule waits for. The problems are those that branches have reported.
func (w *waiting) err(problems []policy.Problem) error {
	switch {
	case w.cause != nil:
		return &plan.Error{Condition: v1.ConditionDestinationWritten, RequeueAfter: w.again, Problem: policy.Problem{
			Reason:  w.cause.Reason,
			Message: fmt.Sprintf("the rule is being deleted, and waits for %s to delete its copies there: %s", named(w.unusable, "cluster"), w.cause.Message),
			Advice:  "if it will not be back, give the copies up: kubectl projection abandon RULE --cluster " + w.unusable[0],
		}}
	case len(problems) > 0:
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: problems[0], Transient: true}
	default:
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Transient: true, Problem: policy.Problem{
			Reason:  v1.ReasonDestinationWriteInProgress,
			Message: "the rule is being deleted, and waits until its copies in " + named(w.others, "cluster") + " are deleted",
		}}
	}
}

// named names things, or the first of them and the number of the others.
func named(names []string, what string) string {
	switch {
	case len(names) == 1:
		return "the " + what + " " + names[0]
	case len(names) <= namedFailures:
		return "the " + what + "s " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("the %ss %s and %d more", what, strings.Join(names[:namedFailures], ", "), len(names)-namedFailures)
}
