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

// emitWork tells people by events what the pass did. However many copies there are, a pass says each thing once.
// Namespaces that come and go are everyday business of a fan-out: the status counts them, and only what goes wrong is an
// event.
func (s *scope[O]) emitWork() {
	if !s.onlyNamespaceChurn() {
		s.emitWrites()
	}
	if leftAlone := withAction(s.removals, destination.LeftAlone); len(leftAlone) > 0 {
		s.emit(corev1.EventTypeNormal, v1.ReasonDestinationLeftAlone, actionDelete, "left alone "+describe(leftAlone)+", which was handed over", leftAlone)
	}
	s.emitForeign()
}

// emitTrouble tells people by events what went wrong, on change only: when the status says so that did not say so
// before. Of failures of copies, it names the first.
func (s *scope[O]) emitTrouble(told conditionSet) {
	if told.resolved.Status == metav1.ConditionFalse && s.isChanged(told.resolved) {
		s.emit(corev1.EventTypeWarning, told.resolved.Reason, actionResolve, told.resolved.Message, nil)
	}
	inProgress := told.written.Reason == v1.ReasonDestinationWriteInProgress
	if told.written.Status == metav1.ConditionFalse && s.isChanged(told.written) && !inProgress {
		s.emitFailures(told.written)
	}
}

func (s *scope[O]) emitWrites() {
	corrected := filter(func(o destination.Outcome) bool { return o.Corrected }, s.outcomes)
	written := s.outcomes
	if len(corrected) > 0 {
		s.emit(corev1.EventTypeNormal, v1.ReasonDriftCorrected, actionWrite, describeCorrected(corrected), corrected)
		written = filter(func(o destination.Outcome) bool { return !o.Corrected }, s.outcomes)
	}
	created, updated, deleted := withAction(written, destination.Created), withAction(written, destination.Updated), withAction(s.removals, destination.Deleted)
	switch {
	case len(created) > 0 && len(updated) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+describe(created)+", updated "+describe(updated), created)
	case len(created) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+describe(created), created)
	case len(updated) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonUpdated, actionWrite, "updated "+describe(updated), updated)
	}
	if len(deleted) > 0 && s.problem.Reason == "" && !s.isDeleting() {
		s.emit(corev1.EventTypeNormal, v1.ReasonStaleDestinationDeleted, actionDelete, "deleted "+describe(deleted), deleted)
	}
}

// onlyNamespaceChurn tells whether namespaces coming and going are all that woke the rule.
func (s *scope[O]) onlyNamespaceChurn() bool {
	for cause := range s.triggers {
		if cause != watch.NamespaceAdded && cause != watch.NamespaceRemoved {
			return false
		}
	}
	return len(s.triggers) > 0
}

// emitFailures says per namespace what is new. It says it in one sentence if the kind has one target, or if the
// trouble is not one of targets.
func (s *scope[O]) emitFailures(written metav1.Condition) {
	failed := filter(destination.Outcome.Failed, s.outcomes)
	if s.adapter.Failures == nil || len(failed) == 0 {
		s.emit(corev1.EventTypeWarning, written.Reason, actionWrite, written.Message, failed)
		return
	}
	told := 0
	for _, outcome := range failed[:min(len(failed), v1.MaxFailures)] { // the status holds no more, so the rest is never known
		if told < maxFailureEvents && !outcome.Repeated && !s.isReported(outcome) {
			told++
			s.emit(corev1.EventTypeWarning, outcome.Reason, actionWrite, outcome.Target.String()+": "+outcome.Message, []destination.Outcome{outcome})
		}
	}
}

// isReported tells whether the status told of that failure already.
func (s *scope[O]) isReported(outcome destination.Outcome) bool {
	return slices.ContainsFunc(s.adapter.Failures(s.before), func(f v1.NamespaceFailure) bool {
		return f.Namespace == outcome.Target.Namespace && f.Reason == outcome.Reason && f.Message == outcome.Message
	})
}

func (s *scope[O]) isChanged(condition metav1.Condition) bool {
	before := meta.FindStatusCondition(*s.before.GetStatusConditions(), condition.Type)
	return before == nil || before.Status != condition.Status || before.Reason != condition.Reason || before.Message != condition.Message
}

// emit tells of the rule. If one copy is meant, it is related; else events on different copies would count as one.
func (s *scope[O]) emit(eventType, reason, action, note string, outcomes []destination.Outcome) {
	var related runtime.Object
	if len(outcomes) == 1 {
		copied := &metav1.PartialObjectMetadata{}
		copied.SetGroupVersionKind(s.kind.GroupVersionKind)
		copied.Namespace, copied.Name = outcomes[0].Target.Namespace, outcomes[0].Target.Name
		related = copied
		if outcomes[0].Failed() && outcomes[0].Action == destination.LeftAlone {
			reason = v1.ReasonDestinationLeftAlone // a condition does not tell a copy that was handed over from a stranger
		}
	}
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "") + "…"
	}
	s.deps.Recorder.Eventf(s.before, related, eventType, reason, action, "%s", note)
}

// withAction returns the outcomes that are of the action.
func withAction(outcomes []destination.Outcome, action destination.Action) []destination.Outcome {
	return filter(func(o destination.Outcome) bool { return o.Action == action }, outcomes)
}

// filter returns the outcomes of which the function holds. Of thousands, it mostly holds of none.
func filter(holds func(destination.Outcome) bool, lists ...[]destination.Outcome) []destination.Outcome {
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

// describe names one copy, or counts several.
func describe(outcomes []destination.Outcome) string {
	if len(outcomes) == 1 {
		return "the copy " + outcomes[0].Target.String()
	}
	return strconv.Itoa(len(outcomes)) + " copies"
}
