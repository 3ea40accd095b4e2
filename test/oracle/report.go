package oracle

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
)

const conflict = v1.ReasonDestinationConflict

// needSomebody are the reasons of sources that last until somebody acts.
var needSomebody = []string{v1.ReasonSourceDeleted, v1.ReasonSourceOptedOut, v1.ReasonSourceNotProjectable}

// reports finds what a rule says that is not so.
func (w *world) reports(p *plan) []string {
	r := &report{name: p.rule.GetKind() + " " + refOf(p.rule)}
	if p.rule.GetDeletionTimestamp() != nil {
		return nil
	}
	if wishOf(p.rule).suspended {
		r.suspended(w, p)
		return r.problems
	}
	var failures []v1.NamespaceFailure
	for _, t := range p.targets {
		if reason := w.failure(p, t); reason != "" {
			failures = append(failures, v1.NamespaceFailure{Namespace: t.Namespace, Reason: reason})
		}
	}
	if p.source == nil && !p.isNothing {
		r.condition(p.rule, v1.ConditionSourceResolved, metav1.ConditionFalse, p.reasons...)
		r.condition(p.rule, v1.ConditionDestinationWritten, metav1.ConditionUnknown, v1.ReasonSourceNotResolved)
		r.condition(p.rule, v1.ConditionReady, metav1.ConditionFalse, p.reasons...)
	} else {
		status, reason := rollUp(failures)
		if len(p.targets) == 0 && !p.isNothing {
			reason = v1.ReasonNoMatchingNamespaces
		}
		r.condition(p.rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
		r.condition(p.rule, v1.ConditionDestinationWritten, status, reason)
		r.condition(p.rule, v1.ConditionReady, status, reason)
	}
	r.stalled(p.rule, failures, false)
	r.expect("observedGeneration", p.rule.GetCommonStatus().ObservedGeneration, p.rule.GetGeneration())
	r.bookkeeping(p, w.reported(p), len(failures), w.keptKinds(p))
	r.claimed(w, p)
	r.consent(w, p)
	r.selected(p)
	if clusterwide, ok := p.rule.(*v1.ClusterProjection); ok && !p.isStuck { // what is said then is what was so before
		r.counts(clusterwide.Status, p, len(w.reported(p)), failures)
		r.rollout(clusterwide, p, len(failures))
	}
	return r.problems
}

// rollUp sums failures up in a condition.
func rollUp(failures []v1.NamespaceFailure) (metav1.ConditionStatus, string) {
	if len(failures) == 0 {
		return metav1.ConditionTrue, v1.ReasonProjected
	}
	first := failures[0].Reason
	if slices.ContainsFunc(failures, func(f v1.NamespaceFailure) bool { return f.Reason != first }) {
		return metav1.ConditionFalse, v1.ReasonDestinationWriteFailed
	}
	return metav1.ConditionFalse, first
}

type report struct {
	name     string
	problems []string
}

func (r *report) expect(what string, is, want any) {
	if is != want {
		r.problems = append(r.problems, fmt.Sprintf("%s: %s is %v, not %v", r.name, what, is, want))
	}
}

func (r *report) condition(rule Rule, conditionType string, status metav1.ConditionStatus, reasons ...string) {
	condition := meta.FindStatusCondition(*rule.GetStatusConditions(), conditionType)
	if condition == nil {
		r.problems = append(r.problems, fmt.Sprintf("%s: the condition %s is missing", r.name, conditionType))
		return
	}
	if condition.Status != status || !slices.Contains(reasons, condition.Reason) {
		r.problems = append(r.problems, fmt.Sprintf("%s: %s is %s/%s (%s), not %s/%s",
			r.name, conditionType, condition.Status, condition.Reason, condition.Message, status, strings.Join(reasons, " or ")))
	}
	r.expect(conditionType+"'s observedGeneration", condition.ObservedGeneration, rule.GetGeneration())
}

// stalled looks whether the rule says that it needs somebody, and only then.
func (r *report) stalled(rule Rule, failures []v1.NamespaceFailure, held bool) {
	needed := held || slices.ContainsFunc(failures, func(f v1.NamespaceFailure) bool {
		return slices.Contains([]string{conflict, notPermitted, v1.ReasonRenderFailed, v1.ReasonDestinationUpdateFailed}, f.Reason)
	})
	ready := meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionReady)
	if ready != nil && slices.Contains(needSomebody, ready.Reason) {
		needed = true
	}
	switch {
	case needed && ready != nil:
		r.condition(rule, v1.ConditionStalled, metav1.ConditionTrue, ready.Reason)
	case meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionStalled) != nil:
		r.problems = append(r.problems, r.name+": it says that it is stalled, and is not")
	}
}

// keptKinds returns the kinds of the copies that the rule retains while its source is gone. What has lost its label does not count.
func (w *world) keptKinds(p *plan) []string {
	var kinds []string
	for at, owner := range w.owners {
		_, labelled := w.Objects[at].GetLabels()[marksOf[p.rule.GetKind()].label]
		if owner == p && labelled && p.keeps(at, w.Objects[at]) && !slices.Contains(kinds, at.Kind.String()) {
			kinds = append(kinds, at.Kind.String())
		}
	}
	return kinds
}

// bookkeeping looks at what the operator notes on the rule for its own use.
func (r *report) bookkeeping(p *plan, reported []target, failed int, kept []string) {
	r.kinds(p, failed, kept)
	status := p.rule.GetCommonStatus()
	switch {
	case p.isStuck: // copies with any name may be there
	case p.source == nil && len(kept) > 0:
		r.expect("that there are copies", status.DestinationName != "" || status.DestinationNames != nil, true)
		if wish := wishOf(p.rule); wish.nameExpression == "" {
			r.expect("destinationName", status.DestinationName, wish.name)
		}
	case p.source == nil:
		r.unnamed(status)
	case len(p.targets) > 0 && !slices.ContainsFunc(reported, func(t target) bool { return t.obstacle != notPermitted }):
		r.unnamed(status)
	case failed < len(reported):
		r.named(p, reported, failed)
	}
	if !p.isStuck { // nothing may ever have been written
		r.expect("the number of finalizers", len(p.rule.GetFinalizers()), 1)
	}
}

// kinds looks at the record of the kinds of the copies.
func (r *report) kinds(p *plan, failed int, kept []string) {
	kind := wishOf(p.rule).kind.String()
	recorded := strings.Split(p.rule.GetAnnotations()[v1.AnnotationWrittenKinds], ",")
	written := slices.Clone(kept)
	if !p.isStuck { // nothing is written then
		written = append(written, kind)
	}
	for _, kind := range written {
		r.expect("that the kind "+kind+" is recorded", slices.Contains(recorded, kind), true)
	}
	if failed == 0 && len(kept) == 0 && !p.isStuck {
		r.expect("the record of kinds", strings.Join(recorded, ","), kind)
	}
}

// rollout looks at what is said of the rollout of a rule that is as it has to be.
func (r *report) rollout(rule *v1.ClusterProjection, p *plan, failed int) {
	said := rule.Status.Rollout
	if rule.Spec.Rollout == nil {
		r.expect("that a rollout is told of", said != nil, false)
		r.expect("that namespacesHeld is said", rule.Status.NamespacesHeld != nil, false)
		return
	}
	r.expect("namespacesHeld", int(ptr.Deref(rule.Status.NamespacesHeld, -1)), 0)
	if p.source == nil {
		return
	}
	r.expect("that a rollout is told of", said != nil, true)
	if said != nil && len(p.targets) > 0 && failed == 0 {
		r.expect("the rollout", *said, v1.RolloutStatus{Introduced: true})
	}
}

func (r *report) counts(status v1.ClusterProjectionStatus, p *plan, targets int, failures []v1.NamespaceFailure) {
	held := int(ptr.Deref(status.NamespacesHeld, 0))
	if p.source != nil {
		r.expect("namespacesSkipped", int(ptr.Deref(status.NamespacesSkipped, 0)), p.skipped+len(p.targets)-targets)
	}
	if status.NamespacesTargeted == nil || status.NamespacesWritten == nil || status.NamespacesFailed == nil {
		r.problems = append(r.problems, r.name+": nothing is counted")
		return
	}
	r.expect("namespacesTargeted", int(*status.NamespacesTargeted), targets)
	r.expect("namespacesWritten", int(*status.NamespacesWritten), targets-len(failures)-held)
	r.expect("namespacesFailed", int(*status.NamespacesFailed), len(failures))
	r.expect("failureReasons", fmt.Sprint(status.FailureReasons), fmt.Sprint(countedByReason(failures)))
	told := make([]v1.NamespaceFailure, len(status.Failures))
	for i, failure := range status.Failures {
		told[i] = v1.NamespaceFailure{Namespace: failure.Namespace, Reason: failure.Reason}
	}
	r.expect("failures", fmt.Sprint(told), fmt.Sprint(failures[:min(len(failures), v1.MaxFailures)]))
}

// countedByReason counts failures by reason, in alphabetical order.
func countedByReason(failures []v1.NamespaceFailure) []v1.ReasonCount {
	var counts []v1.ReasonCount
	for _, failure := range failures {
		at, found := slices.BinarySearchFunc(counts, failure.Reason, func(c v1.ReasonCount, reason string) int { return strings.Compare(c.Reason, reason) })
		if !found {
			counts = slices.Insert(counts, at, v1.ReasonCount{Reason: failure.Reason})
		}
		counts[at].Count++
	}
	return counts
}
