package destination

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// createOnly is a resourceVersion that no object has. Applied with it as a precondition, an object is created if there
// is none; whatever is there is a conflict.
const createOnly = "1"

// Apply brings the copy in the namespace in step with the template, in one request unless somebody is in the way.
func (w *Writer) Apply(ctx context.Context, desk Desk, template *Template, namespace string) Outcome {
	application := &application{writer: w, desk: desk, hash: template.Hash(), outcome: Outcome{Target: template.At(namespace)}}
	convergence, err := application.converge(ctx, template, namespace)
	outcome := application.outcome
	switch {
	case outcome.Failed() || outcome.Err != nil:
		return outcome
	case err != nil:
		return application.failed(v1.ReasonDestinationWriteFailed, err)
	}
	if result, blocked := convergence.Blocked(); blocked {
		outcome.Reason, outcome.Message = v1.ReasonDestinationConflict, result.Reason
	}
	return outcome
}

// application is one attempt to apply a copy. As the component's Applier it is what makes the requests.
type application struct {
	writer  *Writer
	desk    Desk
	hash    string
	outcome Outcome
}

func (a *application) converge(ctx context.Context, template *Template, namespace string) (component.Convergence, error) {
	resource, err := template.Resource(namespace)
	if err != nil {
		return component.Convergence{}, err
	}
	built, err := component.NewComponentBuilder().
		WithName(a.desk.Owner.Ref()).
		WithConditionType(v1.ConditionDestinationWritten).
		WithFieldManager(a.desk.Owner.FieldManager()).
		WithResource(resource, component.Unowned()).
		Build()
	if err != nil {
		return component.Convergence{}, err
	}
	return built.Converge(ctx, component.ReconcileContext{
		Client: a.writer.Client, Scheme: a.writer.Client.Scheme(), Owner: a.desk.Rule, Applier: a,
	})
}

// Apply writes on the version that is known to be ours, or creates. When that does not hold, it looks at what is there and
// decides again.
func (a *application) Apply(ctx context.Context, request component.ApplyRequest) (concepts.ConvergingOperation, error) {
	intent, ok := request.Desired.(*unstructured.Unstructured)
	if !ok {
		return concepts.ConvergingOperationNone, fmt.Errorf("a copy is unstructured, not a %T", request.Desired)
	}
	at, rule := a.outcome.Target, a.desk.Owner.Key()
	known := a.desk.Ledger.Begin(at, rule, a.hash)
	for try := 1; ; try++ {
		written, err := a.write(ctx, intent, known, request.FieldOwner)
		if err == nil {
			a.writer.Obstacles.Unblock(a.desk.waker(), at)
			a.desk.Ledger.Wrote(at, rule, a.hash, written)
			return a.wrote(known, written), nil
		}
		if apierrors.IsConflict(err) && try < maxTries {
			known, err = a.lookAgain(ctx)
			if err == nil {
				continue
			}
		}
		a.desk.Ledger.Abandon(at, rule)
		a.fail(known, err)
		return concepts.ConvergingOperationNone, err
	}
}

// write applies the intent on that state of the copy and no other. A copy that we never applied was written by a
// predecessor of ours, whose fields are taken over first; of one whose record of writers was wiped, that shows afterwards.
func (a *application) write(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (State, error) {
	tier := a.desk.Owner.Tier
	if known.Exists() && known.Fields == 0 {
		live, err := a.writer.look(ctx, a.desk, a.outcome.Target)
		if err != nil {
			return State{}, &lookError{err}
		}
		if live.ResourceVersion == known.ResourceVersion {
			if live, _, err = a.inherit(ctx, live, manager); err != nil {
				return State{}, err
			}
			known = stateOf(tier, live)
		}
	}
	answer, err := a.send(ctx, intent, known, manager)
	if err != nil {
		return State{}, err
	}
	answer, inherited, err := a.inherit(ctx, answer, manager)
	if inherited && err == nil {
		answer, err = a.send(ctx, intent, stateOf(tier, answer), manager)
	}
	if err != nil {
		return State{}, err
	}
	return stateOf(tier, answer), nil
}

func (a *application) send(ctx context.Context, intent *unstructured.Unstructured, known State, manager string) (*metav1.PartialObjectMetadata, error) {
	intent.SetResourceVersion(createOnly)
	if known.Exists() {
		intent.SetResourceVersion(known.ResourceVersion)
	}
	body, err := intent.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode the copy: %w", err)
	}
	return a.copies(intent.GetNamespace()).
		Patch(ctx, intent.GetName(), types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: manager, Force: new(true)})
}

func (a *application) copies(namespace string) metadata.ResourceInterface {
	return a.writer.Metadata.Resource(a.desk.Resource).Namespace(namespace)
}

// lookAgain returns the state to write on now: that of our own copy, or none if the place is free. Anything else is an
// obstacle, whose end wakes the rule.
func (a *application) lookAgain(ctx context.Context) (State, error) {
	at := a.outcome.Target
	a.writer.Obstacles.Block(a.desk.waker(), at)
	live, err := a.writer.look(ctx, a.desk, at)
	switch {
	case err != nil:
		return State{}, &lookError{err}
	case live.UID == "":
		return State{}, nil
	case live.DeletionTimestamp != nil:
		return State{}, blockedBy(v1.ReasonDestinationCreateFailed, "the object that is there is being deleted; the copy follows when it is gone")
	case a.desk.Owner.HandedOver(live):
		a.outcome.Action = LeftAlone
		return State{}, blockedBy(v1.ReasonDestinationConflict,
			"the copy was handed over: its annotation "+a.desk.Owner.Tier.Annotation+" is gone; it is left alone")
	case !a.desk.Owner.Owns(live):
		return State{}, blockedBy(v1.ReasonDestinationConflict,
			"an object that this rule does not own is there; remove it, or choose another destination.name")
	default:
		return stateOf(a.desk.Owner.Tier, live), nil
	}
}

func (a *application) wrote(before, after State) concepts.ConvergingOperation {
	a.outcome.Fields = after.Fields
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
