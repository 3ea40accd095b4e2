package projector

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// Actions of events: what the operator did, or tried.
const (
	actionResolve = "Resolve"
	actionWrite   = "Write"
	actionAdopt   = "Adopt"
	actionDelete  = "Delete"
	actionRetain  = "Retain"
	actionGiveUp  = "GiveUp"
)

const (
	// maxFailureEvents is how many failures of copies one reconcile sends events about.
	maxFailureEvents = 5
	// maxNote is how long a note may be, in bytes. The API server refuses longer ones.
	maxNote = 1000
)

// emitWork sends events about what the reconcile did: one of each kind, however many copies there are. Namespaces that are created
// and deleted are usual for a fan-out: the status counts them, and only failures are events.
func (s *scope[O]) emitWork() {
	if !s.onlyNamespaceChurn() {
		s.emitWrites()
	}
	s.emitAdopted()
	if retained := withAction(s.local.removals, destination.Retained); len(retained) > 0 {
		note := "made " + describe(retained) + ordinary(len(retained)) + s.whyRetained(len(retained))
		s.emit(corev1.EventTypeNormal, v1.ReasonDestinationRetained, actionRetain, note, retained)
	}
	if leftAlone := withAction(s.local.removals, destination.LeftAlone); len(leftAlone) > 0 {
		note := "left alone " + describe(leftAlone) + ", because its ownership annotation was removed"
		s.emit(corev1.EventTypeNormal, v1.ReasonDestinationLeftAlone, actionDelete, note, leftAlone)
	}
	s.emitForeign()
}

// emitTrouble sends events about what the status reports now and did not report before. Of failures of copies, it names the first.
func (s *scope[O]) emitTrouble(reported conditionSet) {
	if reported.resolved.Status == metav1.ConditionFalse && s.isChanged(reported.resolved) {
		s.emit(corev1.EventTypeWarning, reported.resolved.Reason, actionResolve, reported.resolved.Message, nil)
	}
	s.emitRollout(reported)
	if reported.written.Status == metav1.ConditionFalse && s.isChanged(reported.written) && isTrouble(reported.written.Reason) {
		s.emitFailures(reported.written)
	}
}

// isTrouble reports whether copies are not in sync for a reason that is worth an event: nobody wants them to be as they are.
func isTrouble(reason string) bool {
	switch reason {
	case v1.ReasonDestinationWriteInProgress, v1.ReasonSuspended, v1.ReasonRolloutInProgress:
		return false
	default:
		return true
	}
}

func (s *scope[O]) emitWrites() {
	corrected := filter(func(o destination.Outcome) bool { return o.Corrected }, s.local.outcomes)
	written := s.withoutStaged(s.local.outcomes)
	if len(corrected) > 0 {
		s.emit(corev1.EventTypeNormal, v1.ReasonDriftCorrected, actionWrite, describeCorrected(corrected), corrected)
		written = filter(func(o destination.Outcome) bool { return !o.Corrected }, written)
	}
	created, updated := withAction(written, destination.Created), withAction(written, destination.Updated)
	deleted := withAction(s.local.removals, destination.Deleted)
	switch {
	case len(created) > 0 && len(updated) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+describe(created)+", updated "+describe(updated), created)
	case len(created) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonProjected, actionWrite, "created "+describe(created), created)
	case len(updated) > 0:
		s.emit(corev1.EventTypeNormal, v1.ReasonUpdated, actionWrite, "updated "+describe(updated), updated)
	}
	if recreated := withAction(s.local.outcomes, destination.Recreated); len(recreated) > 0 {
		note := "recreated " + describe(recreated) + ", which could not be changed in place"
		s.emit(corev1.EventTypeNormal, v1.ReasonDestinationRecreated, actionWrite, note, recreated)
	}
	if len(deleted) > 0 {
		s.emit(corev1.EventTypeNormal, v1.ReasonStaleDestinationDeleted, actionDelete, "deleted "+describe(deleted)+s.whyUnwanted(), deleted)
	}
}

// whyUnwanted says why the rule wants no copy any more; empty if it wants some.
func (s *scope[O]) whyUnwanted() string {
	switch {
	case s.isDeleting():
		return ", because this rule is being deleted"
	case !s.whyNone().IsZero():
		return ", because " + s.whyNone().Message
	default:
		return ""
	}
}

// ordinary says what so many copies are now.
func ordinary(copies int) string {
	if copies == 1 {
		return " an ordinary object"
	}
	return " ordinary objects"
}

// whyRetained says why so many copies are not wanted any more.
func (s *scope[O]) whyRetained(copies int) string {
	switch {
	case s.isDeleting():
		return s.whyUnwanted()
	case copies == 1:
		return ", because its namespace is not a target any more"
	default:
		return ", because their namespaces are not targets any more"
	}
}

// onlyNamespaceChurn reports whether the rule was enqueued only because namespaces were created, changed or deleted.
func (s *scope[O]) onlyNamespaceChurn() bool {
	for trigger := range s.triggers {
		if trigger != watch.NamespaceAdded && trigger != watch.NamespaceRemoved {
			return false
		}
	}
	return len(s.triggers) > 0
}

// emitFailures sends an event for each copy with a new failure. It sends one event for all if the kind has one target, or if it
// is not copies that have failed.
func (s *scope[O]) emitFailures(written metav1.Condition) {
	failed := filter(destination.Outcome.Failed, s.byNamespace(s.local.outcomes))
	if s.adapter.Failures == nil || len(failed) == 0 {
		s.emit(corev1.EventTypeWarning, written.Reason, actionWrite, written.Message, failed)
		return
	}
	reported := 0
	for _, outcome := range failed[:min(len(failed), v1.MaxFailures)] { // the status holds no more, so the rest is never known
		if reported < maxFailureEvents && !outcome.Repeated && !s.isReported(outcome) {
			reported++
			s.emit(corev1.EventTypeWarning, outcome.Reason, actionWrite, s.local.describeFailure(outcome), []destination.Outcome{outcome})
		}
	}
	s.noteReported()
}

// isReported reports whether the status had that failure before this reconcile.
func (s *scope[O]) isReported(outcome destination.Outcome) bool {
	return slices.ContainsFunc(s.adapter.Failures(s.before), func(f v1.NamespaceFailure) bool {
		return f.Namespace == outcome.Place.Namespace && f.Reason == outcome.Reason && f.Message == outcome.Message
	})
}

func (s *scope[O]) isChanged(condition metav1.Condition) bool {
	before := meta.FindStatusCondition(*s.before.GetStatusConditions(), condition.Type)
	return before == nil || before.Status != condition.Status || before.Reason != condition.Reason || before.Message != condition.Message
}

// emit sends an event about the rule. An event about one copy is related to the copy: without that, events about different copies
// would be counted as one.
func (s *scope[O]) emit(eventType, reason, action, note string, outcomes []destination.Outcome) {
	var related runtime.Object
	if len(outcomes) == 1 {
		place := outcomes[0].Place
		related = relatedObject(s.local.kindOf(place), place.NamespacedName)
		if outcomes[0].Failed() && outcomes[0].Action == destination.LeftAlone {
			reason = v1.ReasonDestinationLeftAlone // the condition has one reason for released copies and for foreign objects
		}
	}
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "") + "…"
	}
	s.hub.Recorder.Eventf(s.before, related, eventType, reason, action, "%s", note)
}

// relatedObject returns the object that an event is about besides the rule.
func relatedObject(kind source.Kind, at types.NamespacedName) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind.GroupVersionKind)
	object.Namespace, object.Name = at.Namespace, at.Name
	return object
}
