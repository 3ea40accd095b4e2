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
	for try := 1; ; try++ {
		err := w.delete(ctx, desk, copied)
		switch {
		case err == nil:
			desk.Ledger.Deleted(copied.NamespacedName, copied.UID)
			outcome.Action = Deleted
			return outcome
		case answer.Missing(err, copied.Name):
			desk.Ledger.Gone(copied.NamespacedName, rule, copied.UID)
			return outcome
		}
		if apierrors.IsConflict(err) && try < maxTries {
			live, lookErr := w.look(ctx, desk, copied.NamespacedName)
			switch {
			case lookErr != nil:
				err = lookErr
			case live.UID == "":
				desk.Ledger.Gone(copied.NamespacedName, rule, copied.UID)
				return outcome
			case !desk.Owner.Owns(live) && live.UID != copied.UID: // another object has taken the place
				desk.Ledger.Gone(copied.NamespacedName, rule, copied.UID)
				return outcome
			case !desk.Owner.Owns(live):
				desk.Ledger.Abandon(copied.NamespacedName, rule)
				outcome.Action = LeftAlone
				return outcome
			default:
				copied.State = stateOf(desk.Owner.Tier, live)
				continue
			}
		}
		desk.Ledger.Abandon(copied.NamespacedName, rule)
		outcome.Reason, outcome.Message = v1.ReasonDestinationWriteFailed, "the copy cannot be deleted: "+desk.sentence(err)
		outcome.Err = &TargetError{Target: outcome.Target.String(), Sentence: outcome.Message, cause: err}
		return outcome
	}
}

func (w *Writer) delete(ctx context.Context, desk Desk, copied Copy) error {
	return w.Metadata.Resource(desk.Resource).Namespace(copied.Namespace).Delete(ctx, copied.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
}

// Survey asks the API server for the copies of the rule: by the label with its uid, in the rule's namespace if it is
// confined to it. Unlike a watch, the answer is as new as the question.
func (w *Writer) Survey(ctx context.Context, desk Desk) ([]Copy, error) {
	namespace := metav1.NamespaceAll
	if desk.Owner.Tier.Confined {
		namespace = desk.Owner.Namespace
	}
	list, err := w.Metadata.Resource(desk.Resource).Namespace(namespace).List(ctx, metav1.ListOptions{
		LabelSelector: labels.Set{desk.Owner.Tier.Label: string(desk.Owner.UID)}.String(),
	})
	if err != nil {
		return nil, err
	}
	var copies []Copy
	for i := range list.Items {
		if found := &list.Items[i]; desk.Owner.Owns(found) {
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
	if err != nil || live.UID == "" || !desk.Owner.Owns(live) {
		return Copy{}, false, err
	}
	return Copy{NamespacedName: at, State: stateOf(desk.Owner.Tier, live)}, true, nil
}
