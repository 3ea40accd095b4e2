package destination

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
	"projection.sh/operator/primitives/component"
)

// conflictError is what is in the way of a copy. It blocks the component, and is no failure to be tried again: its end enqueues the
// rule.
type conflictError struct {
	rule    types.UID // in whose way it is
	action  Action
	reason  string
	blocked *component.BlockedError
	// foreign reports whether the object may be adopted as far as the rule itself is concerned, and waits whether it is being deleted.
	foreign, waits bool
	// skipped reports whether the rule does without the copy, and differs whether the object would be adopted if it said the same.
	skipped, differs bool
	// onConflict is what the rule said of conflicts, and content what it wanted, if the conflict depends on that.
	onConflict v1.ConflictPolicy
	content    string
	// scope says which changes of the object can end the conflict.
	scope watch.Scope
}

// holds reports whether the conflict, as it was found, is in the way of a copy of that content still.
func (o *conflictError) holds(set CopySet, content string) bool {
	return o.rule == set.Owner.UID && o.onConflict == set.OnConflict && (o.content == "" || o.content == content)
}

// outcome returns the outcome of a copy with what became of it because of the conflict.
func (o *conflictError) outcome(of Outcome) Outcome {
	if o.skipped {
		of.Skipped = true
		return of
	}
	of.Action, of.Reason, of.Message = o.action, o.reason, o.blocked.Reason
	return of
}

// Scope says which changes of the object can end the conflict.
func (o *conflictError) Scope() watch.Scope { return o.scope }

// conflictWith tells in which way the object at a place keeps the rule from having its copy there; nil if it does not.
func conflictWith(live *metav1.PartialObjectMetadata, rule owner.Identity) *conflictError {
	switch {
	case live.UID == "":
		return nil
	case live.DeletionTimestamp != nil:
		conflict := blockedBy(rule, Unchanged, v1.ReasonDestinationCreateFailed,
			"an object is there that is being deleted"+waitsFor(live.Finalizers)+"; the copy follows when it is deleted")
		conflict.waits = true
		return conflict
	case rule.Released(live):
		return blockedBy(rule, LeftAlone, v1.ReasonDestinationConflict,
			"the copy was released, since its annotation "+rule.Kind.Annotation+" was removed; it is left alone; "+
				"delete this rule or the object, or restore the annotation")
	case rule.Elsewhere(live):
		return blockedBy(rule, Unchanged, v1.ReasonDestinationConflict,
			"an object is there that was made from a copy at another place, which its annotation "+v1.AnnotationPlace+
				" names; it is left alone; delete it, or remove that annotation to give it to this rule")
	case owner.IsAmbiguous(live):
		return blockedBy(rule, Unchanged, v1.ReasonDestinationConflict,
			"an object is there that "+describeOwners(live)+"; it is left alone; remove one of the two annotations")
	case !rule.Owns(live):
		conflict := blockedBy(rule, Unchanged, v1.ReasonDestinationConflict,
			"an object is there that "+describeOwner(live)+"; it is left alone; delete it, or set another destination.name")
		conflict.foreign = true
		return conflict
	default:
		return nil
	}
}

func blockedBy(rule owner.Identity, action Action, reason, sentence string) *conflictError {
	return &conflictError{rule: rule.UID, action: action, reason: reason, blocked: &component.BlockedError{Reason: sentence}}
}

func (o *conflictError) Error() string { return o.blocked.Error() }

// Unwrap returns what the component understands.
func (o *conflictError) Unwrap() error { return o.blocked }

// readError says that what is there could not be read.
type readError struct{ cause error }

func (e *readError) Error() string {
	return "the object that is there cannot be read: " + e.cause.Error()
}

// Unwrap returns what the API server or the connection to it said.
func (e *readError) Unwrap() error { return e.cause }

// fail notes why the copy could not be written on the state that was known of it.
func (a *attempt) fail(known State, err error) {
	a.set.FromSecret = a.set.FromSecret || known.isOfSecret()
	defer func() { a.outcome.Watched = a.watched && a.outcome.Err != nil }()
	var inTheWay *conflictError
	var blind *readError
	switch {
	case errors.Is(err, errWithdrawn):
		a.outcome.Pending = true
	case errors.Is(err, errNotItsTurn):
		a.outcome.Pending, a.outcome.Waits, a.outcome.RetryAfter = true, true, turnPause
	case errors.As(err, &inTheWay):
		a.outcome = inTheWay.outcome(a.outcome)
	case a.adopted:
		a.outcome = a.failed(v1.ReasonDestinationUpdateFailed, finishing, err)
	case errors.As(err, &blind):
		a.outcome = a.failed(v1.ReasonDestinationFetchFailed, reading, err)
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		// The API server may say so for a moment after the namespace has come back, and no event says when it stops.
		a.outcome = a.outcome.withError(v1.ReasonDestinationCreateFailed, "the namespace is being deleted", err)
	case a.adopts != nil:
		a.outcome = a.failed(v1.ReasonDestinationCreateFailed, adopting, err)
	case a.recreated: // although the watch may not have reported the deletion yet
		a.outcome = a.failed(v1.ReasonDestinationCreateFailed, recreating, err)
	case known.Exists():
		a.outcome = a.failed(v1.ReasonDestinationUpdateFailed, updating, err)
	default:
		a.outcome = a.failed(v1.ReasonDestinationCreateFailed, creating, err)
	}
}

// RenderFailed returns the outcome of a copy that could not be rendered.
func (s CopySet) RenderFailed(at types.NamespacedName, err error) Outcome {
	if failed, ok := errors.AsType[*RenderError](err); ok {
		kept, correct := "is kept", "the namespace"
		if failed.Taken {
			kept, correct = "is kept unless another source has its name", "the sources"
		}
		message := "no copy can be made for this namespace; a copy that exists " + kept + "; correct " + correct + " or this rule (" + failed.Message + ")"
		outcome := Outcome{Place: s.Place(at), Reason: v1.ReasonRenderFailed, Message: message}
		if failed.Retry {
			return outcome.withError(v1.ReasonRenderFailed, message, err)
		}
		return outcome
	}
	return (&attempt{set: s, outcome: Outcome{Place: s.Place(at)}}).failed(v1.ReasonDestinationWriteFailed, rendering, err)
}

// failed returns the outcome of an operation that failed.
func (a *attempt) failed(reason string, failed operation, err error) Outcome {
	return a.outcome.withError(reason, a.set.explain(failed, a.outcome.Place, err), err)
}

// withError returns the outcome as a failure.
func (o Outcome) withError(reason, message string, err error) Outcome {
	o.Reason, o.Message = reason, message
	o.Err = &TargetError{Target: o.Place.String(), Message: message, cause: err}
	return o
}

// TargetError is a failure at one copy. Its text may be shown: it quotes no value of the object.
type TargetError struct {
	Target, Message string
	cause           error
}

func (e *TargetError) Error() string { return e.Target + ": " + e.Message }

// Unwrap returns what the API server or the connection to it said.
func (e *TargetError) Unwrap() error { return e.cause }
