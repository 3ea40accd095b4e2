package projector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
)

// For how long the status waits before it says that copies are not written yet.
const (
	// reportTime is for a branch that has been asked.
	reportTime = time.Second
	// connectTime is for a cluster that may be between two connections.
	connectTime = 6 * time.Second
	// startTime is for a branch that has reported nothing since the operator was started.
	startTime = time.Minute
)

// states returns what is known of the copies in each cluster that the rule copies into.
func (s *scope[O]) states() []ClusterState[O] {
	var states []ClusterState[O]
	for _, cluster := range s.clusters {
		if !cluster.IsTarget || abandoned(s.rule).Has(cluster.Name) {
			continue
		}
		state := ClusterState[O]{DestinationCluster: cluster}
		if report, found := s.reportOf(cluster); found && s.isCurrent(report) {
			state.Reported = &report
		}
		states = append(states, state)
	}
	return states
}

// isCurrent reports whether the report is about the rule and its source as this reconcile sees them. What keeps a branch from reading the source does not
// depend on that.
//
// Example: the other cluster does not serve the kind.
func (s *scope[O]) isCurrent(report ClusterReport[O]) bool {
	return report.Generation == s.rule.GetGeneration() && report.IsDeleting == s.isDeleting() &&
		(report.Source == "" || report.Source == s.sourceVersion())
}

// awaitReports returns for how long the status need not be written, since branches are about to report; 0: it has to be written. After a start, what the
// status says holds until then.
func (s *scope[O]) awaitReports() (wait time.Duration) {
	patience := time.Duration(0)
	for _, state := range s.states() {
		patience = max(patience, s.patience(state))
	}
	now := s.clock()
	s.remembered(func(r *memory.Rule) {
		switch {
		case patience == 0:
			r.Awaits = time.Time{}
			return
		case r.Awaits.IsZero():
			r.Awaits = now
		}
		wait = max(0, r.Awaits.Add(patience).Sub(now))
	})
	return wait
}

// patience returns for how long the status waits for what is to be known of a cluster; 0: it is known.
func (s *scope[O]) patience(state ClusterState[O]) time.Duration {
	switch {
	case state.Err != nil && state.Err.Reason == v1.ReasonDestinationWriteInProgress:
		return connectTime
	case state.stopped() != nil || state.Reported != nil:
		return 0
	}
	_, found := s.reportOf(state.DestinationCluster)
	if isNews := s.before.GetCommonStatus().ObservedGeneration != s.rule.GetGeneration(); found || isNews {
		return reportTime
	}
	return startTime
}

// Problem says what is wrong with the copies in a cluster; zero: nothing is.
func (s ClusterState[O]) Problem() policy.Problem {
	switch {
	case s.stopped() != nil:
		return s.stopped().Problem
	case s.Reported == nil:
		return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: "the copies are not written yet"}
	}
	conditions := *s.Reported.Status.GetStatusConditions()
	for _, of := range []string{v1.ConditionSourceResolved, v1.ConditionDestinationWritten} {
		if condition := meta.FindStatusCondition(conditions, of); condition != nil && condition.Status == metav1.ConditionFalse {
			return policy.Problem{Reason: condition.Reason, Message: condition.Message}
		}
	}
	return policy.Problem{}
}

// IsFailure reports whether something is wrong in the cluster, which is not so if its copies are not written yet, or wait for somebody or for their turn.
func (s ClusterState[O]) IsFailure() bool {
	switch s.Problem().Reason {
	case "", v1.ReasonDestinationWriteInProgress, v1.ReasonSuspended, v1.ReasonRolloutInProgress, v1.ReasonRolloutHeld:
		return false
	default:
		return true
	}
}

// reportedProblems returns what branches have reported to be wrong.
func (s *scope[O]) reportedProblems() (problems []policy.Problem) {
	for _, cluster := range s.clusters {
		report, found := s.reportOf(cluster)
		if !found || cluster.Err != nil || !s.isCurrent(report) {
			continue
		}
		if problem := (ClusterState[O]{DestinationCluster: cluster, Reported: &report}).Problem(); !problem.IsZero() {
			problem.Message = inCluster(cluster.Name, problem.Message)
			problems = append(problems, problem)
		}
	}
	return problems
}

// withClusters returns the condition DestinationWritten of a rule that copies into other clusters, given the one of its own cluster.
func (s *scope[O]) withClusters(written metav1.Condition) metav1.Condition {
	if !s.hasClusters() || s.branch != nil || written.Status != metav1.ConditionTrue || s.clusters == nil && s.adapter.Fanout == nil {
		return written
	}
	states := s.states()
	if len(states) == 0 {
		if len(s.local.outcomes) == 0 {
			written.Reason, written.Message = v1.ReasonNoMatchingNamespaces, "no RemoteCluster matches destination.clusters"
		}
		return written
	}
	if problem := s.summarizeClusters(states); !problem.IsZero() {
		return condition(v1.ConditionDestinationWritten, problem, "", "")
	}
	copies := count(destination.Outcome.IsInSync, s.local.outcomes)
	for _, reported := range s.reportedByClusters() {
		copies += s.adapter.Counted(reported).InSync
	}
	written.Reason = v1.ReasonProjected
	written.Message = fmt.Sprintf("all %d copies in %d clusters are in sync with their source", copies, len(states)+s.hereToo())
	if copies == 1 {
		written.Message = "the copy is in sync with its source"
	}
	return written
}

// hereToo returns 1 if the rule has copies in its own cluster, too.
func (s *scope[O]) hereToo() int { return min(1, len(s.local.outcomes)) }

// summarizeClusters sums up what is wrong in the clusters: a reason that all failures share, or the general one. If nothing is, it says what they wait for.
func (s *scope[O]) summarizeClusters(states []ClusterState[O]) policy.Problem {
	var failed, held, pending []string
	var reason, heldBy string
	for _, state := range states {
		switch problem := state.Problem(); {
		case problem.IsZero():
		case problem.Reason == v1.ReasonDestinationWriteInProgress:
			pending = append(pending, state.Name)
		case !state.IsFailure():
			heldBy = cmp.Or(heldBy, problem.Reason)
			held = append(held, s.describeCluster(state, problem))
		default:
			if reason = cmp.Or(reason, problem.Reason); reason != problem.Reason {
				reason = v1.ReasonDestinationWriteFailed
			}
			failed = append(failed, s.describeCluster(state, problem))
		}
	}
	switch {
	case len(failed) > 0 && len(states) > 1:
		return policy.Problem{Reason: reason, Message: fmt.Sprintf("%d of %d clusters failed: %s", len(failed), len(states), firstOf(failed))}
	case len(failed) > 0:
		return policy.Problem{Reason: reason, Message: firstOf(failed)}
	case len(pending) > 0:
		return policy.Problem{Reason: v1.ReasonDestinationWriteInProgress, Message: "the copies in " + named(pending, "cluster") + " are not written or deleted yet"}
	case len(held) > 0:
		return policy.Problem{Reason: heldBy, Message: firstOf(held)}
	}
	return policy.Problem{}
}

// firstOf returns the first of the sentences, and how many others there are.
func firstOf(sentences []string) string {
	first := strings.Join(sentences[:min(len(sentences), namedFailures)], "; ")
	if more := len(sentences) - namedFailures; more > 0 {
		first += fmt.Sprintf("; and %d more", more)
	}
	return first
}

// describeCluster says what is wrong in the cluster. A problem of the cluster itself names it.
func (s *scope[O]) describeCluster(state ClusterState[O], problem policy.Problem) string {
	if state.stopped() != nil {
		return problem.Sentence()
	}
	return inCluster(state.Name, problem.Sentence())
}

// inCluster says in which cluster something is so, unless the message does.
//
// Example: the owner of a source in another cluster does not consent. That is so for all clusters that the rule copies into.
func inCluster(name, message string) string {
	if strings.HasPrefix(message, "in the cluster ") {
		return message
	}
	return "in the cluster " + name + ", " + message
}

// reportedByClusters returns the rule with what the branches have reported of it, for each cluster that it copies into.
func (s *scope[O]) reportedByClusters() (reported []O) {
	for _, state := range s.states() {
		if state.Reported != nil {
			reported = append(reported, state.Reported.Status)
		}
	}
	return reported
}

// reportClusters sets what the status says of other clusters, and what of it a restart needs.
func (s *scope[O]) reportClusters() {
	if s.branch != nil || s.adapter.Fanout == nil {
		return
	}
	states := s.states()
	s.adapter.Fanout.Report(s.rule, states, s.local.outcomes != nil, s.hub.Schema.HasStatusField)
	if len(s.clusters) == 0 {
		return
	}
	status, before := s.rule.GetCommonStatus(), s.before.GetCommonStatus()
	applied := destination.ParseFieldSets(status.AppliedFields)
	for _, state := range states {
		known := before
		if state.Reported != nil {
			known = state.Reported.Status.GetCommonStatus()
		}
		for _, fields := range destination.ParseFieldSets(known.AppliedFields) {
			applied = applied.With(fields)
		}
		if status.DestinationName == "" && status.DestinationNames == nil {
			status.DestinationName, status.DestinationNames = known.DestinationName, known.DestinationNames
		}
	}
	if len(applied) > 0 {
		status.AppliedFields = applied.Format(s.hub.Schema.MaxAppliedFields())
	}
}

// isStalledByCluster reports whether the copies in a cluster stay as they are until somebody acts.
func (s *scope[O]) isStalledByCluster() bool {
	return slices.ContainsFunc(s.states(), func(state ClusterState[O]) bool {
		if stopped := state.stopped(); stopped != nil {
			return !stopped.Transient
		}
		return state.Reported != nil && meta.IsStatusConditionTrue(*state.Reported.Status.GetStatusConditions(), v1.ConditionStalled)
	})
}

// clustersRetryAfter returns when to look again at clusters that cannot be used now; 0: an event enqueues the rule.
func (s *scope[O]) clustersRetryAfter() (again time.Duration) {
	for _, cluster := range s.clusters {
		if cluster.Err != nil {
			_, release := s.isReleased(cluster)
			again = soonest(again, soonest(cluster.Err.RequeueAfter, release))
		}
	}
	return again
}
