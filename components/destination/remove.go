package destination

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/answer"
	"projection.sh/operator/components/owner"
)

// Remove deletes a copy, as the one object that it was when it was seen as ours. A copy that has been handed over since
// then is left alone.
func (w *Writer) Remove(ctx context.Context, desk Desk, copied Copy) Outcome {
	outcome := Outcome{Target: copied.NamespacedName}
	if copied.Terminating {
		return outcome
	}
	rule := desk.Owner.Key()
	desk.Ledger.Leave(copied.NamespacedName, rule)
	copied, end, err := w.remove(ctx, desk, copied)
	switch {
	case err != nil:
		desk.Ledger.Abandon(copied.NamespacedName, rule)
		outcome.Reason, outcome.Message = v1.ReasonDestinationWriteFailed, "the copy cannot be deleted: "+desk.sentence(err)
		outcome.Err = &TargetError{Target: outcome.Target.String(), Sentence: outcome.Message, cause: err}
	case end == byUs:
		desk.Ledger.Deleted(copied.NamespacedName, copied.UID)
		outcome.Action = Deleted
	case end == byOthers:
		desk.Ledger.Gone(copied.NamespacedName, rule, copied.UID)
	case end == asTheirs:
		desk.Ledger.Abandon(copied.NamespacedName, rule)
		outcome.Action = LeftAlone
	}
	return outcome
}

// ending is how an object ceased to be a copy of the rule.
type ending int

const (
	none     ending = iota // it is one still
	byUs                   // it was deleted
	byOthers               // it was gone already
	asTheirs               // it was handed over, or has become a foreign object
)

// remove deletes the copy as it was seen, and as it is now if it has changed since. It returns the copy as it was last
// seen as ours, and how it ended.
func (w *Writer) remove(ctx context.Context, desk Desk, copied Copy) (Copy, ending, error) {
	for try := 1; ; try++ {
		err := w.delete(ctx, desk, copied)
		switch {
		case err == nil:
			return copied, byUs, nil
		case answer.Missing(err, copied.Name):
			return copied, byOthers, nil
		case !apierrors.IsConflict(err) || try == maxTries:
			return copied, none, err
		}
		live, err := w.look(ctx, desk, copied.NamespacedName)
		if err != nil {
			return copied, none, err
		}
		if end := endingOf(desk.Owner, copied, live); end != none {
			return copied, end, nil
		}
		copied.State = stateOf(desk.Owner.Tier, live)
	}
}

// endingOf returns how a copy has ended at whose place the live object is now, if one is.
func endingOf(rule owner.Identity, copied Copy, live *metav1.PartialObjectMetadata) ending {
	switch {
	case live.UID == "":
		return byOthers
	case mayDelete(rule, live):
		return none
	case live.UID != copied.UID: // another object has taken the place
		return byOthers
	default:
		return asTheirs
	}
}

// mayDelete reports whether the object is known to be a copy of the rule wherever it is.
func mayDelete(rule owner.Identity, object metav1.Object) bool {
	state := stateOf(rule.Tier, object)
	return state.Owner == rule.Key() && state.Proven
}

func (w *Writer) delete(ctx context.Context, desk Desk, copied Copy) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	return w.Metadata.Resource(desk.Resource).Namespace(copied.Namespace).Delete(ctx, copied.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
}

// Survey asks the API server for the copies of the rule: by the label with its uid, in the rule's namespace if it is
// confined to it. Foreign objects that bear its marks are left out. Unlike a watch, the answer is as new as the question.
func (w *Writer) Survey(ctx context.Context, desk Desk) ([]Copy, error) {
	namespace := metav1.NamespaceAll
	if desk.Owner.Tier.Confined {
		namespace = desk.Owner.Namespace
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	list, err := w.Metadata.Resource(desk.Resource).Namespace(namespace).List(ctx, metav1.ListOptions{
		LabelSelector: labels.Set{desk.Owner.Tier.Label: string(desk.Owner.UID)}.String(),
	})
	if err != nil {
		return nil, desk.veil(err)
	}
	var copies []Copy
	for i := range list.Items {
		if found := &list.Items[i]; mayDelete(desk.Owner, found) {
			at := types.NamespacedName{Namespace: found.Namespace, Name: found.Name}
			copies = append(copies, Copy{NamespacedName: at, State: stateOf(desk.Owner.Tier, found)})
		}
	}
	return copies, nil
}

// Find returns the object at a place if it is a copy of the rule, asking the API server. It finds a copy whose label
// somebody took off, which no watch of ours sees.
func (w *Writer) Find(ctx context.Context, desk Desk, at types.NamespacedName) (Copy, bool, error) {
	live, err := w.look(ctx, desk, at)
	if err != nil || live.UID == "" || !mayDelete(desk.Owner, live) {
		return Copy{}, false, err
	}
	return Copy{NamespacedName: at, State: stateOf(desk.Owner.Tier, live)}, true, nil
}
