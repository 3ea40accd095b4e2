package destination

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
)

// Delete deletes a copy, as the one object that it was when it was seen as ours. A copy that has been handed over since
// then is left alone.
func (w *Writer) Delete(ctx context.Context, set CopySet, copied Copy) Outcome {
	outcome := Outcome{Target: copied.NamespacedName}
	if copied.Terminating {
		return outcome
	}
	rule := set.Owner.Key()
	set.Cache.BeginDelete(copied.NamespacedName, rule)
	copied, end, err := w.deleteWithRetry(ctx, set, copied)
	switch {
	case err != nil:
		set.Cache.Abort(copied.NamespacedName, rule)
		outcome.Reason, outcome.Message = v1.ReasonDestinationWriteFailed, "the copy cannot be deleted: "+set.message(err)
		outcome.Err = &TargetError{Target: outcome.Target.String(), Message: outcome.Message, cause: err}
	case end == deleted:
		set.Cache.Deleted(copied.NamespacedName, copied.UID)
		outcome.Action = Deleted
	case end == notFound:
		set.Cache.NotFound(copied.NamespacedName, rule, copied.UID)
	case end == released:
		set.Cache.Abort(copied.NamespacedName, rule)
		outcome.Action = LeftAlone
	}
	return outcome
}

// deleteResult is how an object ceased to be a copy of the rule.
type deleteResult int

const (
	present  deleteResult = iota // it is one still
	deleted                      // it was deleted
	notFound                     // it was gone already
	released                     // it was handed over, or has become a foreign object
)

// deleteWithRetry deletes the copy as it was seen, and as it is now if it has changed since. It returns the copy as it was last
// seen as ours, and how it ended.
func (w *Writer) deleteWithRetry(ctx context.Context, set CopySet, copied Copy) (Copy, deleteResult, error) {
	for try := 1; ; try++ {
		err := w.delete(ctx, set, copied)
		switch {
		case err == nil:
			return copied, deleted, nil
		case apierr.IsObjectNotFound(err, copied.Name):
			return copied, notFound, nil
		case !apierrors.IsConflict(err) || try == maxTries:
			return copied, present, err
		}
		live, err := w.getMetadata(ctx, set, copied.NamespacedName)
		if err != nil {
			return copied, present, err
		}
		if end := deleteResultOf(set.Owner, copied, live); end != present {
			return copied, end, nil
		}
		copied.State = stateOf(set.Owner.Kind, live)
	}
}

// deleteResultOf returns how a copy has ended at whose place the live object is now, if one is.
func deleteResultOf(rule owner.Identity, copied Copy, live *metav1.PartialObjectMetadata) deleteResult {
	switch {
	case live.UID == "":
		return notFound
	case mayDelete(rule, live):
		return present
	case live.UID != copied.UID: // another object has taken the place
		return notFound
	default:
		return released
	}
}

// mayDelete reports whether the object is known to be a copy of the rule wherever it is.
func mayDelete(rule owner.Identity, object metav1.Object) bool {
	state := stateOf(rule.Kind, object)
	return state.Owner == rule.Key() && state.Proven
}

func (w *Writer) delete(ctx context.Context, set CopySet, copied Copy) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return w.Metadata.Resource(set.Resource).Namespace(copied.Namespace).Delete(ctx, copied.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
}

// ListOwned asks the API server for the copies of the rule: by the label with its uid, in the rule's namespace if it is
// confined to it. Foreign objects that bear its marks are left out. Unlike a watch, the answer is as new as the question.
func (w *Writer) ListOwned(ctx context.Context, set CopySet) ([]Copy, error) {
	namespace := metav1.NamespaceAll
	if set.Owner.Kind.Namespaced {
		namespace = set.Owner.Namespace
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	list, err := w.Metadata.Resource(set.Resource).Namespace(namespace).List(ctx, metav1.ListOptions{
		LabelSelector: labels.Set{set.Owner.Kind.Label: string(set.Owner.UID)}.String(),
	})
	if err != nil {
		return nil, set.redact(err)
	}
	var copies []Copy
	for i := range list.Items {
		if found := &list.Items[i]; mayDelete(set.Owner, found) {
			at := types.NamespacedName{Namespace: found.Namespace, Name: found.Name}
			copies = append(copies, Copy{NamespacedName: at, State: stateOf(set.Owner.Kind, found)})
		}
	}
	return copies, nil
}

// GetOwned returns the object at a place if it is a copy of the rule, asking the API server. It finds a copy whose label
// somebody took off, which no watch of ours sees.
func (w *Writer) GetOwned(ctx context.Context, set CopySet, at types.NamespacedName) (Copy, bool, error) {
	live, err := w.getMetadata(ctx, set, at)
	if err != nil || live.UID == "" || !mayDelete(set.Owner, live) {
		return Copy{}, false, err
	}
	return Copy{NamespacedName: at, State: stateOf(set.Owner.Kind, live)}, true, nil
}
