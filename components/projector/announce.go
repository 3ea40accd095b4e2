package projector

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/watch"
)

// Actions of events: what the operator did, or tried.
const (
	actionResolve = "Resolve"
	actionWrite   = "Write"
	actionDelete  = "Delete"
)

// maxFailureEvents is how many failures one pass tells by events.
const maxFailureEvents = 5

// announce tells people by events what the pass did and what went wrong, on change only. However many copies there are,
// a pass says each thing once; of failures, it names the first. Namespaces that come and go are everyday business of a
// fan-out: the status counts them, and only what goes wrong is an event.
func (p *pass[O]) announce(conditions []metav1.Condition) {
	if !p.everyday() {
		p.announceWork()
	}
	if leftAlone := p.removalsOf(destination.LeftAlone); len(leftAlone) > 0 {
		p.event(corev1.EventTypeNormal, v1.ReasonDestinationLeftAlone, actionDelete, "left alone "+name(leftAlone)+", which was handed over")
	}
	resolved, written := conditions[0], conditions[1]
	if resolved.Status == metav1.ConditionFalse && p.isNews(resolved) {
		p.event(corev1.EventTypeWarning, resolved.Reason, actionResolve, resolved.Message)
	}
	if written.Status == metav1.ConditionFalse && p.isNews(written) {
		p.announceFailures(written)
	}
}

func (p *pass[O]) announceWork() {
	created, updated, deleted := p.outcomesOf(destination.Created), p.outcomesOf(destination.Updated), p.removalsOf(destination.Deleted)
	switch {
	case len(created) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, wrote(created, updated))
	case len(updated) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonUpdated, actionWrite, wrote(nil, updated))
	}
	if leaving := !p.rule.GetDeletionTimestamp().IsZero(); len(deleted) > 0 && p.resolved.reason == "" && !leaving {
		p.event(corev1.EventTypeNormal, v1.ReasonStaleDestinationDeleted, actionDelete, "deleted "+name(deleted))
	}
}

// everyday tells whether namespaces coming and going are all that woke the rule.
func (p *pass[O]) everyday() bool {
	for cause := range p.causes {
		if cause != watch.NamespaceAdded && cause != watch.NamespaceRemoved {
			return false
		}
	}
	return len(p.causes) > 0
}

// announceFailures says per namespace what is new, and in one sentence if the kind has no more than one target or the
// trouble is not one of single targets.
func (p *pass[O]) announceFailures(written metav1.Condition) {
	var failed []destination.Outcome
	if p.rules.Failures != nil {
		failed = slices.DeleteFunc(slices.Clone(p.outcomes), func(o destination.Outcome) bool { return !o.Failed() || p.isKnown(o) })
	}
	if len(failed) == 0 {
		p.event(corev1.EventTypeWarning, p.eventReason(written), actionWrite, written.Message)
	}
	for _, outcome := range failed[:min(len(failed), maxFailureEvents)] {
		p.event(corev1.EventTypeWarning, outcome.Reason, actionWrite, outcome.Target.String()+": "+outcome.Message)
	}
}

// isKnown tells whether the status told of that failure already.
func (p *pass[O]) isKnown(outcome destination.Outcome) bool {
	return slices.ContainsFunc(p.rules.Failures(p.before), func(f v1.NamespaceFailure) bool {
		return f.Namespace == outcome.Target.Namespace && f.Reason == outcome.Reason && f.Message == outcome.Message
	})
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
