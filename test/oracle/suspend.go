package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
)

// number is between two bounds. What only the managed fields of a copy show is not known here.
type number struct{ least, most int }

func (n *number) add(certain bool) {
	n.most++
	if certain {
		n.least++
	}
}

func (n *number) has(is int) bool { return n.least <= is && is <= n.most }

// would is what a suspended rule would do, as far as the copies show it.
type would struct {
	create, update, inSync number
	// remove are copies that are not wanted, and retain those of them that would not be deleted.
	remove, retain number
	failures       []v1.NamespaceFailure
}

func (w *world) would(p *plan) would {
	var would would
	wish := wishOf(p.rule)
	for _, t := range p.targets {
		copied, there := w.Objects[t.Place]
		switch {
		case slices.Contains([]string{v1.ReasonDestinationCreateFailed, notPermitted, v1.ReasonRenderFailed}, t.obstacle), t.Place == wish.source:
			would.failures = append(would.failures, v1.NamespaceFailure{Namespace: t.Namespace, Reason: t.obstacle})
		case w.failure(p, t) == conflict && tellsConflict(p.rule, t.Namespace): // it was found before the rule was suspended
			would.failures = append(would.failures, v1.NamespaceFailure{Namespace: t.Namespace, Reason: conflict})
		case !there || w.owners[t.Place] != p || copied.GetDeletionTimestamp() != nil:
			would.create.add(true)
		case !isFound(copied, p): // by the label that somebody has taken off
			would.create.add(false)
			would.update.add(false)
			would.inSync.add(false)
		case len(contentProblems(t.Place, copied, *p)) > 0:
			would.update.add(true)
		default: // what somebody changed and changed back shows in the managed fields
			would.update.add(false)
			would.inSync.add(false)
		}
	}
	w.wouldDelete(p, &would)
	return would
}

// tellsConflict tells whether the rule reports a conflict in the namespace.
func tellsConflict(rule Rule, namespace string) bool {
	if clusterwide, ok := rule.(*v1.ClusterProjection); ok {
		return slices.ContainsFunc(clusterwide.Status.Failures, func(f v1.NamespaceFailure) bool {
			return f.Namespace == namespace && f.Reason == conflict
		})
	}
	written := meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionDestinationWritten)
	return written != nil && written.Reason == conflict
}

// wouldDelete counts the copies that the rule does not want. It may retain some, unless the owner of the source does not consent.
func (w *world) wouldDelete(p *plan, would *would) {
	mayRetain := len(wishOf(p.rule).policy.Retain) > 0 && (p.source != nil || p.isNothing || slices.Contains(p.reasons, v1.ReasonSourceDeleted))
	for at, owner := range w.owners {
		wanted := slices.ContainsFunc(p.targets, func(t target) bool { return t.Place == at && t.obstacle != notPermitted })
		stays := slices.ContainsFunc(would.failures, func(f v1.NamespaceFailure) bool {
			return f.Namespace == at.Namespace && f.Reason != notPermitted
		})
		if owner == p && !wanted && !stays && w.Objects[at].GetDeletionTimestamp() == nil {
			would.remove.add(isFound(w.Objects[at], p) && !mayRetain)
			if mayRetain && slices.Contains(wishOf(p.rule).policy.Retain, v1.RetainTargetDropped) {
				would.retain.add(false)
			}
		}
	}
}

// isFound tells whether the copy has the label by which copies are found.
func isFound(copied *unstructured.Unstructured, p *plan) bool {
	_, labelled := copied.GetLabels()[marksOf[p.rule.GetKind()].label]
	return labelled
}

var (
	planned = regexp.MustCompile(`suspended: would ((?:(?:create|update|delete|retain) \d+(?:, )?)+)(?:; (none is|1 is|\d+ are) in sync)?$`)
	resting = regexp.MustCompile(`^(no copy is wanted|the copy is in sync|all \d+ copies are in sync|namespaceSelector matches none of .*|` +
		`the only selected namespace is .*|the owner of the source permits .*); the rule is suspended$`)
)

// suspended finds what a suspended rule says that is not so. Its copies may be as they are.
func (r *report) suspended(w *world, p *plan) {
	written := meta.FindStatusCondition(*p.rule.GetStatusConditions(), v1.ConditionDestinationWritten)
	if written == nil {
		r.problems = append(r.problems, r.name+": it does not say what it would do")
		return
	}
	if p.isStuck {
		r.condition(p.rule, v1.ConditionSourceResolved, metav1.ConditionFalse, p.reasons...)
		return
	}
	would, said := w.would(p), planned.FindStringSubmatch(written.Message)
	status, reason := rollUp(would.failures)
	if said != nil && len(would.failures) == 0 {
		status, reason = metav1.ConditionFalse, v1.ReasonSuspended
	}
	counted := r.planned(said, would, len(p.targets))
	if len(p.targets) == 0 && said == nil && p.source != nil {
		reason = v1.ReasonNoMatchingNamespaces
	}
	r.suspendedConditions(p, written, status, reason, said != nil)
	r.stalled(p.rule, would.failures, said != nil)
	r.claimed(w, p)
	r.expect("observedGeneration", p.rule.GetCommonStatus().ObservedGeneration, p.rule.GetGeneration())
	if clusterwide, ok := p.rule.(*v1.ClusterProjection); ok {
		r.counts(clusterwide.Status, p, len(p.targets), would.failures)
		r.expect("namespacesHeld", int(ptr.Deref(clusterwide.Status.NamespacesHeld, -1)), counted)
	}
}

// suspendedConditions looks at the conditions of a suspended rule, with the status and the reason of what it would do.
func (r *report) suspendedConditions(p *plan, written *metav1.Condition, status metav1.ConditionStatus, reason string, plans bool) {
	if p.source == nil && !p.isNothing {
		if plans {
			r.condition(p.rule, v1.ConditionDestinationWritten, status, reason)
		} else {
			r.condition(p.rule, v1.ConditionDestinationWritten, metav1.ConditionUnknown, v1.ReasonSourceNotResolved)
		}
		r.condition(p.rule, v1.ConditionSourceResolved, metav1.ConditionFalse, p.reasons...)
		r.condition(p.rule, v1.ConditionReady, metav1.ConditionFalse, p.reasons...)
		return
	}
	says := resting.MatchString(written.Message) || plans || strings.HasSuffix(written.Message, "; the rule is suspended")
	r.expect("that it says that it is suspended: "+written.Message, says, true)
	r.condition(p.rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	r.condition(p.rule, v1.ConditionDestinationWritten, status, reason)
	r.condition(p.rule, v1.ConditionReady, status, reason)
}

// claimed looks for the finalizer of a rule that has copies: its deletion is to end them.
func (r *report) claimed(w *world, p *plan) {
	for at, owner := range w.owners {
		if owner == p && isFound(w.Objects[at], p) {
			r.expect("the number of finalizers", len(p.rule.GetFinalizers()), 1)
		}
	}
}

// planned looks at the numbers that the rule says, and returns how many namespaces wait for a copy.
func (r *report) planned(said []string, would would, targets int) int {
	is := map[string]int{}
	if said != nil {
		for part := range strings.SplitSeq(said[1], ", ") {
			verb, count, _ := strings.Cut(part, " ")
			is[verb], _ = strconv.Atoi(count)
		}
		count, _, _ := strings.Cut(strings.Replace(said[2], "none", "0", 1), " ") // nothing is said where no copy is wanted
		is["in sync"], _ = strconv.Atoi(count)
		is["delete"] += is["retain"]
	} else {
		is["in sync"] = targets - len(would.failures)
	}
	for verb, number := range map[string]number{"create": would.create, "update": would.update, "delete": would.remove, "in sync": would.inSync} {
		r.expect(fmt.Sprintf("that %s %d is between %d and %d", verb, is[verb], number.least, number.most), number.has(is[verb]), true)
	}
	r.expect(fmt.Sprintf("that retain %d is at most %d", is["retain"], would.retain.most), would.retain.has(is["retain"]), true)
	r.expect("the sum of all targets", is["create"]+is["update"]+is["in sync"]+len(would.failures), targets)
	return is["create"] + is["update"]
}
