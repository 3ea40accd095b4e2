package projector

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// Actions of events: what the operator did, or tried.
const (
	actionResolve = "Resolve"
	actionWrite   = "Write"
	actionDelete  = "Delete"
)

// announce tells people by events what the pass did and what went wrong, on change only. However many copies there are,
// a pass says each thing once.
func (p *pass[O]) announce(conditions []metav1.Condition) {
	created, updated := p.outcomesOf(destination.Created), p.outcomesOf(destination.Updated)
	deleted, leftAlone := p.removalsOf(destination.Deleted), p.removalsOf(destination.LeftAlone)
	switch {
	case len(created) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, wrote(created, updated))
	case len(updated) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonUpdated, actionWrite, wrote(nil, updated))
	}
	if leaving := !p.rule.GetDeletionTimestamp().IsZero(); len(deleted) > 0 && p.resolved.reason == "" && !leaving {
		p.event(corev1.EventTypeNormal, v1.ReasonStaleDestinationDeleted, actionDelete, "deleted "+name(deleted))
	}
	if len(leftAlone) > 0 {
		p.event(corev1.EventTypeNormal, v1.ReasonDestinationLeftAlone, actionDelete, "left alone "+name(leftAlone)+", which was handed over")
	}
	for _, condition := range conditions[:2] { // Ready repeats one of them
		if condition.Status == metav1.ConditionFalse && p.isNews(condition) {
			p.event(corev1.EventTypeWarning, p.eventReason(condition), action(condition.Type), condition.Message)
		}
	}
}

func (p *pass[O]) isNews(condition metav1.Condition) bool {
	before := meta.FindStatusCondition(*p.before.GetStatusConditions(), condition.Type)
	return before == nil || before.Status != condition.Status || before.Reason != condition.Reason || before.Message != condition.Message
}

// eventReason tells a copy that was handed over from a stranger, which a condition does not.
func (p *pass[O]) eventReason(condition metav1.Condition) string {
	if condition.Reason == v1.ReasonDestinationConflict && len(p.outcomesOf(destination.LeftAlone)) > 0 {
		return v1.ReasonDestinationLeftAlone
	}
	return condition.Reason
}

func action(conditionType string) string {
	if conditionType == v1.ConditionSourceResolved {
		return actionResolve
	}
	return actionWrite
}

func (p *pass[O]) event(eventType, reason, action, note string) {
	p.parts.Recorder.Eventf(p.before, nil, eventType, reason, action, "%s", note)
}

func (p *pass[O]) outcomesOf(action destination.Action) []destination.Outcome {
	return of(p.outcomes, action)
}

func (p *pass[O]) removalsOf(action destination.Action) []destination.Outcome {
	return of(p.removals, action)
}

func of(outcomes []destination.Outcome, action destination.Action) []destination.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o destination.Outcome) bool { return o.Action != action })
}

func wrote(created, updated []destination.Outcome) string {
	switch {
	case len(updated) == 0:
		return "created " + name(created)
	case len(created) == 0:
		return "updated " + name(updated)
	default:
		return fmt.Sprintf("created %s, updated %s", name(created), name(updated))
	}
}

// name names one copy, or counts several.
func name(outcomes []destination.Outcome) string {
	if len(outcomes) == 1 {
		return "the copy " + outcomes[0].Target.String()
	}
	return fmt.Sprintf("%d copies", len(outcomes))
}
