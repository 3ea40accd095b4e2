package destination

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
)

// Delete deletes a copy, as the one object that it was when it was seen as ours. A copy that was released since then is left alone.
func (w *Writer) Delete(ctx context.Context, set CopySet, copied Copy) Outcome {
	outcome := Outcome{Place: set.Place(copied.NamespacedName)}
	if copied.Terminating {
		return outcome
	}
	set.FromSecret = set.FromSecret || copied.isOfSecret()
	result, err := w.deleteCopy(ctx, set, copied, maxTries)
	switch {
	case err != nil:
		outcome = outcome.withError(v1.ReasonDestinationWriteFailed, set.explain(deleting, outcome.Place, err), err)
	case result == deleted:
		outcome.Action = Deleted
	case result == released:
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
	released                     // it was released, or has become a foreign object
)

// deleteCopy deletes the copy, and lets the cache know how that ended.
func (w *Writer) deleteCopy(ctx context.Context, set CopySet, copied Copy, tries int) (deleteResult, error) {
	return set.Cache.delete(copied.NamespacedName, set.Owner.Key(), func() (types.UID, deleteResult, error) {
		return w.deleteWithRetry(ctx, set, copied, tries)
	})
}

// deleteWithRetry deletes the copy as it was seen, and as it is now if it has changed since. It returns the uid of the copy as it
// was last seen, and how the copy ended.
func (w *Writer) deleteWithRetry(ctx context.Context, set CopySet, copied Copy, tries int) (types.UID, deleteResult, error) {
	for try := 1; ; try++ {
		err := w.delete(ctx, set, copied)
		switch {
		case err == nil:
			return copied.UID, deleted, nil
		case apierr.IsObjectNotFound(err, copied.Name):
			return copied.UID, notFound, nil
		case !apierrors.IsConflict(err) || try == tries:
			return copied.UID, present, err
		}
		live, err := w.getMetadata(ctx, set, copied.NamespacedName)
		if err != nil {
			return copied.UID, present, err
		}
		if result := deleteResultOf(set.Owner, copied, live); result != present {
			return copied.UID, result, nil
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

// delete deletes the copy in the operator's own name, so that a rule can end when its service account is gone. If the operator is not allowed
// to, it deletes the copy in the name of the account. If that fails as well, delete returns the first refusal.
func (w *Writer) delete(ctx context.Context, set CopySet, copied Copy) error {
	err := w.deleteBy(ctx, w.Metadata, set, copied)
	if !apierrors.IsForbidden(err) || !set.User.IsAccount() {
		return err
	}
	byAccount := w.deleteBy(impersonate.As(ctx, set.User), w.Writes, set, copied)
	if byAccount == nil || apierrors.IsConflict(byAccount) || apierr.IsObjectNotFound(byAccount, copied.Name) {
		return byAccount
	}
	return err
}

func (w *Writer) deleteBy(ctx context.Context, client metadata.Interface, set CopySet, copied Copy) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return client.Resource(set.Resource).Namespace(copied.Namespace).Delete(ctx, copied.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
}
