package projector

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

const (
	// maxFailureEvents is how many failures one pass tells by events.
	maxFailureEvents = 5
	// maxNote is how long a note may be, in bytes. The API server refuses longer ones.
	maxNote = 1000
)

// announceWork tells people by events what the pass did. However many copies there are, a pass says each thing once.
// Namespaces that come and go are everyday business of a fan-out: the status counts them, and only what goes wrong is an
// event.
func (p *pass[O]) announceWork() {
	if !p.everyday() {
		p.announceWrites()
	}
	if leftAlone := with(p.removals, destination.LeftAlone); len(leftAlone) > 0 {
		p.event(corev1.EventTypeNormal, v1.ReasonDestinationLeftAlone, actionDelete, "left alone "+name(leftAlone)+", which was handed over", leftAlone)
	}
	p.announceForeign()
}

// announceTrouble tells people by events what went wrong, on change only: when the status says so that did not say so
// before. Of failures of copies, it names the first.
func (p *pass[O]) announceTrouble(told report) {
	if told.resolved.Status == metav1.ConditionFalse && p.isNews(told.resolved) {
		p.event(corev1.EventTypeWarning, told.resolved.Reason, actionResolve, told.resolved.Message, nil)
	}
	inProgress := told.written.Reason == v1.ReasonDestinationWriteInProgress
	if told.written.Status == metav1.ConditionFalse && p.isNews(told.written) && !inProgress {
		p.announceFailures(told.written)
	}
}

func (p *pass[O]) announceWrites() {
	corrected := those(func(o destination.Outcome) bool { return o.Corrected }, p.outcomes)
	written := p.outcomes
	if len(corrected) > 0 {
		p.event(corev1.EventTypeNormal, v1.ReasonDriftCorrected, actionWrite, undone(corrected), corrected)
		written = those(func(o destination.Outcome) bool { return !o.Corrected }, p.outcomes)
	}
	created, updated, deleted := with(written, destination.Created), with(written, destination.Updated), with(p.removals, destination.Deleted)
	switch {
	case len(created) > 0 && len(updated) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+name(created)+", updated "+name(updated), created)
	case len(created) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+name(created), created)
	case len(updated) > 0:
		p.event(corev1.EventTypeNormal, v1.ReasonUpdated, actionWrite, "updated "+name(updated), updated)
	}
	if len(deleted) > 0 && p.resolved.reason == "" && !p.leaving() {
		p.event(corev1.EventTypeNormal, v1.ReasonStaleDestinationDeleted, actionDelete, "deleted "+name(deleted), deleted)
	}
}

// everyday tells whether namespaces coming and going are all that woke the rule.
func (p *pass[O]) everyday() bool {
	for cause := range p.woken {
		if cause != watch.NamespaceAdded && cause != watch.NamespaceRemoved {
			return false
		}
	}
	return len(p.woken) > 0
}

// announceFailures says per namespace what is new. It says it in one sentence if the kind has one target, or if the
// trouble is not one of targets.
func (p *pass[O]) announceFailures(written metav1.Condition) {
	failed := those(destination.Outcome.Failed, p.outcomes)
	if p.rules.Failures == nil || len(failed) == 0 {
		p.event(corev1.EventTypeWarning, written.Reason, actionWrite, written.Message, failed)
		return
	}
	told := 0
	for _, outcome := range failed[:min(len(failed), v1.MaxFailures)] { // the status holds no more, so the rest is never known
		if told < maxFailureEvents && !outcome.Standing && !p.isKnown(outcome) {
			told++
			p.event(corev1.EventTypeWarning, outcome.Reason, actionWrite, outcome.Target.String()+": "+outcome.Message, []destination.Outcome{outcome})
		}
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

// event tells of the rule. If one copy is meant, it is related; else events on different copies would count as one.
func (p *pass[O]) event(eventType, reason, action, note string, outcomes []destination.Outcome) {
	var related runtime.Object
	if len(outcomes) == 1 {
		copied := &metav1.PartialObjectMetadata{}
		copied.SetGroupVersionKind(p.kind.GroupVersionKind)
		copied.Namespace, copied.Name = outcomes[0].Target.Namespace, outcomes[0].Target.Name
		related = copied
		if outcomes[0].Failed() && outcomes[0].Action == destination.LeftAlone {
			reason = v1.ReasonDestinationLeftAlone // a condition does not tell a copy that was handed over from a stranger
		}
	}
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "") + "…"
	}
	p.parts.Recorder.Eventf(p.before, related, eventType, reason, action, "%s", note)
}

// with returns the outcomes that are of the action.
func with(outcomes []destination.Outcome, action destination.Action) []destination.Outcome {
	return those(func(o destination.Outcome) bool { return o.Action == action }, outcomes)
}

// those returns the outcomes of which the function holds. Of thousands, it mostly holds of none.
func those(holds func(destination.Outcome) bool, lists ...[]destination.Outcome) []destination.Outcome {
	var found []destination.Outcome
	for _, outcomes := range lists {
		for _, outcome := range outcomes {
			if holds(outcome) {
				found = append(found, outcome)
			}
		}
	}
	return found
}

// name names one copy, or counts several.
func name(outcomes []destination.Outcome) string {
	if len(outcomes) == 1 {
		return "the copy " + outcomes[0].Target.String()
	}
	return strconv.Itoa(len(outcomes)) + " copies"
}
