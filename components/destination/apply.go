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
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// createOnly is a resourceVersion that no object has. Applied with it as a precondition, an object is created if there
// is none; whatever is there is a conflict.
const createOnly = "1"

// Apply writes the copy, in one request unless somebody is in the way.
func (w *Writer) Apply(ctx context.Context, set CopySet, desired DesiredCopy) Outcome {
	a := &attempt{
		writer: w, set: set, content: desired.Content, sourceUID: desired.renderer.sourceUID, notCopied: desired.renderer.notCopied,
		outcome: Outcome{Place: set.Place(desired.At)},
	}
	if held, found := set.Cache.heldRepair(desired.At, set.Owner.Key(), desired.Content); found {
		return held.failure(a.outcome)
	}
	convergence, err := a.converge(ctx, desired)
	if failed, ok := errors.AsType[*applyError](err); ok {
		return failed.outcome
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

// errWithdrawn ends the tries of a copy that is not wanted any more, as its guard does before the first one.
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
	writer  *Writer
	set     CopySet
	content string
	// sourceUID is the uid of the source as it is now.
	sourceUID types.UID
	// notCopied finds the fields that the rule does not copy; nil: it copies all.
	notCopied *notCopied
	outcome   Outcome
}

func (a *attempt) converge(ctx context.Context, desired DesiredCopy) (component.Convergence, error) {
	resource, err := desired.Resource(a.set.Withdrawn)
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
		on, written, err = a.applyWithRetry(ctx, intent, known, request.FieldOwner)
		return on, written, err
	})
	if err != nil {
		a.fail(on, err)
		outcome := end.failure(a.outcome)
		request.Report(outcome)
		return concepts.ConvergingOperationNone, &applyError{outcome, err}
	}
	a.outcome.Corrected, a.outcome.ChangedBy = end.repair, end.undone.changedBy
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
	for try := 1; ; try++ {
		if try > 1 && a.set.Withdrawn != nil && a.set.Withdrawn(intent.GetNamespace()) { // the guard was asked before the first try
			return known, State{}, errWithdrawn
		}
		written, err = a.write(ctx, intent, known, manager)
		if known.Exists() && try < maxTries && mayReplace(err, intent) {
			var free bool
			if free, err = a.deleteReplaced(ctx, intent, manager, err); free {
				known = State{}
				continue
			}
		}
		if !apierrors.IsConflict(err) || try == maxTries {
			return known, written, err
		}
		if known, err = a.recheck(ctx); err != nil {
			return known, State{}, err
		}
	}
}

// mayReplace reports whether the API server refuses to change the copy in place, and another one may take its place.
func mayReplace(err error, intent *unstructured.Unstructured) bool {
	return apierr.IsImmutable(err) && mutations.IsReplaceable(intent.GroupVersionKind().GroupKind())
}

// write applies the intent on the condition that the copy still has that state. If fields of the copy belong to a former operator, which
// updated instead of applying, they are migrated to our field manager: otherwise a key that is removed from the source would stay.
//
// Example: somebody removes the managedFields of a copy. The API server then records the fields as those of an update. Only the answer
// to our apply shows that, so they are migrated after it, and the copy is applied once more.
func (a *attempt) write(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (State, error) {
	kind := a.set.Owner.Kind
	if known.Exists() && known.Fields == 0 {
		live, err := a.writer.getMetadata(ctx, a.set, a.outcome.Place.NamespacedName)
		if err != nil {
			return State{}, &readError{err}
		}
		if live.ResourceVersion == known.ResourceVersion {
			if live, _, err = a.migrateManagedFields(ctx, live, manager); err != nil {
				return State{}, err
			}
			known = stateOf(kind, live)
		}
	}
	known, err := a.giveUp(ctx, known, manager)
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

// patch writes the copy in the name of the rule's user.
func (a *attempt) patch(
	ctx context.Context, of types.PatchType, body []byte, options metav1.PatchOptions,
) (*metav1.PartialObjectMetadata, error) {
	ctx, cancel := withTimeout(impersonate.As(ctx, a.set.User))
	defer cancel()
	at := a.outcome.Place.NamespacedName
	return a.writer.Writes.Resource(a.set.Resource).Namespace(at.Namespace).Patch(ctx, at.Name, of, body, options)
}

// recheck returns the state to write on now: that of our own copy, or none if the place is free. Anything else is a
// conflict, whose end enqueues the rule.
func (a *attempt) recheck(ctx context.Context) (State, error) {
	at, key := a.outcome.Place.NamespacedName, a.set.ruleKey()
	if err := a.writer.Blockers.Watch(ctx, key, a.set.Resource, at); err != nil {
		return State{}, &readError{err}
	}
	live, err := a.writer.getMetadata(ctx, a.set, at)
	if err != nil {
		return State{}, &readError{err}
	}
	if inTheWay := conflictWith(live, a.set.Owner); inTheWay != nil {
		a.writer.Blockers.SetFinding(key, a.set.Resource, live, inTheWay)
		return State{}, inTheWay
	}
	a.writer.Blockers.Unwatch(key, a.set.Resource, at)
	if live.UID == "" {
		return State{}, nil
	}
	return stateOf(a.set.Owner.Kind, live), nil
}

// knownConflict returns what was found in the way when the place was last looked at, if nothing has happened there since.
// Then there is nothing to ask the API server. What was found for an earlier rule of that name does not count. Otherwise
// the place is no longer waited for: the copy that is about to be written there enqueues nobody.
func (a *attempt) knownConflict(known State) error {
	at, key := a.outcome.Place.NamespacedName, a.set.ruleKey()
	if !known.Exists() {
		finding := a.writer.Blockers.Finding(key, a.set.Resource, at)
		if inTheWay, ok := errors.AsType[*conflictError](finding); ok && inTheWay.rule == a.set.Owner.UID {
			a.outcome.Repeated = true
			return finding
		}
	}
	a.writer.Blockers.Unwatch(key, a.set.Resource, at)
	return nil
}

func (a *attempt) wrote(before, after State) concepts.ConvergingOperation {
	a.outcome.Fields = after.Fields
	if a.notCopied != nil {
		a.set.Clean.add(after.Fields)
	}
	switch {
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
