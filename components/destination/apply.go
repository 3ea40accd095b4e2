package destination

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// createOnly is a resourceVersion that no object has. Applied with it as a precondition, an object is created if there
// is none; whatever is there is a conflict.
const createOnly = "1"

// Apply writes the copy, in one request unless somebody is in the way.
func (w *Writer) Apply(ctx context.Context, set CopySet, desired DesiredCopy) Outcome {
	a := &attempt{
		writer: w, set: set, content: desired.Content, rendered: desired.Rendered, sourceUID: desired.renderer.sourceUID,
		outcome: Outcome{Place: set.Place(desired.At)},
	}
	if held, found := set.Cache.heldRepair(desired.At, set.Owner.Key(), desired.Content); found {
		return held.failure(a.outcome)
	}
	convergence, err := a.converge(ctx, desired)
	if failed, ok := errors.AsType[*applyError](err); ok {
		return failed.outcome
	}
	if failed, ok := errors.AsType[*RenderError](err); ok {
		return set.RenderFailed(desired.At, failed)
	}
	if err != nil {
		return a.failed(v1.ReasonDestinationWriteFailed, writing, err)
	}
	for _, result := range convergence.Resources { // there is one
		if outcome, ok := result.Detail.(Outcome); ok {
			return outcome
		}
	}
	return guarded(convergence, Outcome{Place: set.Place(desired.At)})
}

// guarded returns the outcome of a copy that its guard keeps from being written.
func guarded(convergence component.Convergence, outcome Outcome) Outcome {
	result, blocked := convergence.Blocked()
	switch {
	case !blocked:
	case result.Reason == policy.Withdrawn:
		outcome.Pending = true
	default:
		outcome.Reason, outcome.Message = v1.ReasonDestinationConflict, result.Reason
	}
	return outcome
}

// errWithdrawn ends the requests for a copy that is not wanted any more, or whose rule is suspended, as its guard does before the first one.
var errWithdrawn = errors.New(policy.Withdrawn)

// applyError is a failure of the Applier, with the outcome that it has for the copy.
type applyError struct {
	outcome Outcome
	cause   error
}

func (e *applyError) Error() string { return e.cause.Error() }

// Unwrap returns what the API server or the connection to it said.
func (e *applyError) Unwrap() error { return e.cause }

// attempt is one attempt to apply a copy. It is the component's Applier; what it reports is the Outcome.
type attempt struct {
	writer *Writer
	set    CopySet
	// content is what is wanted, and rendered what a new copy gets.
	content, rendered string
	// sourceUID is the uid of the source as it is now.
	sourceUID types.UID
	// notCopied finds the fields that the rule does not copy; nil: it copies all.
	notCopied *notCopied
	// adopts is the object that is in the way and is to become the copy; nil: there is none. It has become the copy if adopted reports so.
	adopts  *metav1.PartialObjectMetadata
	adopted bool
	// watched reports whether a change of the object that is in the way makes another try worthwhile.
	watched bool
	// recreates reports whether it is the turn of this copy to be recreated, and recreated whether the one that was there was deleted for that.
	recreates, recreated bool
	outcome              Outcome
}

func (a *attempt) converge(ctx context.Context, desired DesiredCopy) (component.Convergence, error) {
	rendered, err := desired.render()
	if err != nil {
		return component.Convergence{}, err
	}
	if a.notCopied, err = desired.renderer.notCopied.with(rendered.set, desired.renderer.fields); err != nil {
		return component.Convergence{}, err
	}
	resource, err := rendered.resource(desired, a.set.Withdrawn)
	if err != nil {
		return component.Convergence{}, err
	}
	built, err := component.NewComponentBuilder().
		WithName(a.set.Owner.Ref()).
		WithConditionType(v1.ConditionDestinationWritten).
		WithFieldManager(a.set.Owner.FieldManager()).
		WithResource(resource, component.Unowned()).
		Build()
	if err != nil {
		return component.Convergence{}, err
	}
	return built.Converge(ctx, component.ReconcileContext{
		Client: a.writer.Client, Scheme: a.writer.Client.Scheme(), Owner: a.set.Rule, Applier: a,
	})
}

// Apply writes on the version that is known to be ours, or creates. When that does not hold, it looks at what is there and
// decides again. It sets the precondition in the object that it is given, and decodes no answer into it.
func (a *attempt) Apply(ctx context.Context, request component.ApplyRequest) (concepts.ConvergingOperation, error) {
	intent, ok := request.Desired.(*unstructured.Unstructured)
	if !ok {
		return concepts.ConvergingOperationNone, fmt.Errorf("a copy is unstructured, not a %T", request.Desired)
	}
	var on, written State
	end, err := a.set.Cache.write(a.outcome.Place.NamespacedName, a.set.Owner.Key(), a.content, func(known State) (State, State, error) {
		var err error
		exists := false
		defer func() { a.endRecreation(exists) }()
		on, written, err = a.applyWithRetry(ctx, intent, known, request.FieldOwner)
		exists = err == nil
		return on, written, err
	})
	a.observeAdoption(err)
	if err != nil {
		a.fail(on, err)
		outcome := end.failure(a.outcome)
		request.Report(outcome)
		return concepts.ConvergingOperationNone, &applyError{outcome, err}
	}
	a.outcome.Corrected, a.outcome.ChangedBy = end.repair && !a.adopted, end.undone.changedBy
	operation := a.wrote(on, written)
	request.Report(end.failure(a.outcome))
	return operation, nil
}

// applyWithRetry writes, and looks again where the world is not as known, until the copy is written or something is in the way.
// It returns on what state of the copy it wrote last.
func (a *attempt) applyWithRetry(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (on, written State, err error) {
	if err := a.knownConflict(known); err != nil {
		return known, State{}, err
	}
	if err := a.prepareRecreation(ctx, known); err != nil {
		return known, State{}, err
	}
	for try := 1; ; try++ {
		if try > 1 { // the guard was asked before the first one
			if err := a.checkWithdrawn(); err != nil {
				return known, State{}, err
			}
		}
		written, err = a.write(ctx, intent, known, manager)
		if known.Exists() && a.adopts == nil && !known.mayKeep(a.content) && try < maxTries && apierr.IsImmutable(err) {
			var free bool
			if free, err = a.makeRoom(ctx, intent, known, manager, err); free {
				known = State{}
				continue
			}
		}
		if !apierrors.IsConflict(err) || try == maxTries {
			return known, written, err
		}
		if known, err = a.recheck(ctx, intent); err != nil {
			return known, State{}, err
		}
	}
}

// write applies the intent on the condition that the copy still has that state. If fields of the copy belong to a former operator, which
// updated instead of applying, they are migrated to our field manager: otherwise a key that is removed from the source would stay.
//
// Example: somebody removes the managedFields of a copy. The API server then records the fields as those of an update. Only the answer
// to our apply shows that, so they are migrated after it, and the copy is applied once more.
func (a *attempt) write(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (State, error) {
	if a.adopts != nil {
		return a.adopt(ctx, intent, manager)
	}
	if known.Exists() && known.mayKeep(a.content) {
		state, err := a.writer.restoreMarks(ctx, a.set, Copy{a.outcome.Place.NamespacedName, known}, a.content)
		if !apierr.IsObjectNotFound(err, intent.GetName()) {
			return state, err
		}
		known = State{} // somebody has deleted it since
	}
	kind := a.set.Owner.Kind
	known, err := a.ownFields(ctx, known, manager)
	if err != nil {
		return State{}, err
	}
	known, err = a.giveUp(ctx, known, manager)
	if err != nil {
		return State{}, err
	}
	answer, err := a.send(ctx, intent, known, manager)
	if err != nil {
		return State{}, err
	}
	answer, inherited, err := a.migrateManagedFields(ctx, answer, manager)
	if inherited && err == nil { // also fields that are not copied
		if known, err = a.giveUp(ctx, stateOf(kind, answer), manager); err == nil {
			answer, err = a.send(ctx, intent, known, manager)
		}
	}
	if err != nil {
		return State{}, err
	}
	return stateOf(kind, answer), nil
}

func (a *attempt) send(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (*metav1.PartialObjectMetadata, error) {
	intent.SetResourceVersion(createOnly)
	if known.Exists() {
		intent.SetResourceVersion(known.ResourceVersion)
	}
	body, err := intent.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode the copy: %w", err)
	}
	return a.patch(ctx, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: manager, Force: new(true)})
}

// patch writes the copy in the name of the rule's user. Every request that changes a copy comes by here, or by deleteBy.
func (a *attempt) patch(
	ctx context.Context, of types.PatchType, body []byte, options metav1.PatchOptions,
) (*metav1.PartialObjectMetadata, error) {
	if err := a.set.checkSuspended(); err != nil {
		return nil, err
	}
	ctx, cancel := withTimeout(impersonate.As(ctx, a.set.User))
	defer cancel()
	at := a.outcome.Place.NamespacedName
	return a.writer.Writes.Resource(a.set.Resource).Namespace(at.Namespace).Patch(ctx, at.Name, of, body, options)
}

func (a *attempt) wrote(before, after State) concepts.ConvergingOperation {
	if !a.adopted && after.UID == before.UID && before.mayKeep(a.content) { // its fields may be what others have made of them
		a.outcome.Earlier = !after.HasContent(a.rendered)
	} else {
		a.outcome.Fields = after.Fields
	}
	if a.notCopied != nil {
		a.set.Clean.add(a.outcome.Fields)
	}
	switch {
	case a.adopted:
		a.outcome.Action = Adopted
		return concepts.ConvergingOperationUpdated
	case before.UID != after.UID && a.recreated:
		a.outcome.Action = Recreated
		return concepts.ConvergingOperationCreated
	case before.UID != after.UID:
		a.outcome.Action = Created
		return concepts.ConvergingOperationCreated
	case before.ResourceVersion != after.ResourceVersion:
		a.outcome.Action = Updated
		return concepts.ConvergingOperationUpdated
	default:
		return concepts.ConvergingOperationNone
	}
}
