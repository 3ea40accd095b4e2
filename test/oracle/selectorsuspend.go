package oracle

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// suspendedOf finds what a suspended rule that selects its sources says that is not so. Its plan counts the copies of all sources.
func (r *report) suspendedOf(w *world, g group, t tally) {
	written := meta.FindStatusCondition(*g.rule.GetStatusConditions(), v1.ConditionDestinationWritten)
	if written == nil {
		r.problems = append(r.problems, r.name+": it does not say what it would do")
		return
	}
	var total would
	targets := 0
	for i := range g.parts {
		p := w.found(&g.parts[i])
		total.add(w.would(p))
		targets += len(p.targets)
		r.claimed(w, p)
	}
	r.condition(g.rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	r.expect("observedGeneration", g.rule.GetCommonStatus().ObservedGeneration, g.rule.GetGeneration())
	if len(total.failures)+len(t.failures) > 0 { // of several failures in a namespace, the first one is reported
		return
	}
	said := planned.FindStringSubmatch(written.Message)
	status, reason := metav1.ConditionTrue, v1.ReasonProjected
	switch {
	case said != nil:
		status, reason = metav1.ConditionFalse, v1.ReasonSuspended
	case g.sources > 0 && len(t.targeted)+len(t.left) == 0:
		reason = v1.ReasonNoMatchingNamespaces
	}
	r.planned(said, total, targets)
	r.condition(g.rule, v1.ConditionDestinationWritten, status, reason)
	r.condition(g.rule, v1.ConditionReady, status, reason)
	r.stalled(g.rule, nil, said != nil)
}

// found returns the plan of all for that part of what a rule wants, to which copies belong.
func (w *world) found(part *plan) *plan {
	at := slices.IndexFunc(w.plans, func(p plan) bool { return p.isPart && p.rule == part.rule })
	return &w.plans[at]
}

func (w *would) add(other would) {
	for _, each := range []struct{ total, number *number }{
		{&w.create, &other.create}, {&w.update, &other.update}, {&w.inSync, &other.inSync}, {&w.remove, &other.remove}, {&w.retain, &other.retain},
	} {
		each.total.least += each.number.least
		each.total.most += each.number.most
	}
	w.failures = append(w.failures, other.failures...)
}

var toWrite = regexp.MustCompile(`(?:create|update) (\d+)`)

// saidHeld returns how many copies the rule would create or update if it were not suspended, as it says.
func saidHeld(rule Rule) (held int) {
	written := meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionDestinationWritten)
	if written == nil || !wishOf(rule).suspended {
		return 0
	}
	_, plan, _ := strings.Cut(written.Message, "suspended: would ")
	for _, said := range toWrite.FindAllStringSubmatch(plan, -1) {
		number, _ := strconv.Atoi(said[1])
		held += number
	}
	return held
}
