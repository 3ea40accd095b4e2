package destination

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
)

// Delete deletes a copy, as the one object that it was when it was seen as ours. A copy that was released since then is left alone.
// If the rule is suspended meanwhile, the copy is left for a later reconcile.
func (w *Writer) Delete(ctx context.Context, set CopySet, copied Copy) Outcome {
	return w.end(ctx, set, copied, w.deletion())
}

func (w *Writer) deletion() ending {
	send := func(ctx context.Context, set CopySet, copied Copy) (State, error) {
		return copied.State, w.delete(ctx, set, copied)
	}
	return ending{send: send, result: deleted, action: Deleted, operation: deleting}
}

// ending is a way in which the operator ends copies.
type ending struct {
	// send makes the request for a copy as it was seen. It returns what is known of the object after it.
	send   func(ctx context.Context, set CopySet, copied Copy) (State, error)
	result endResult
	// action is what is reported of a request that succeeded, and operation what failed.
	action    Action
	operation operation
}

// endResult is how an object ceased to be a copy of the rule.
type endResult int

const (
	present  endResult = iota // it is one still
	deleted                   // it was deleted
	retained                  // it was made an ordinary object
	notFound                  // it was gone already
	released                  // it was released, or has become a foreign object
)

// withdrawnPause is when to look again at a copy that was to become an ordinary object, and is not.
const withdrawnPause = time.Second

// end ends a copy as the one object that it was when it was seen as ours.
func (w *Writer) end(ctx context.Context, set CopySet, copied Copy, how ending) Outcome {
	outcome := Outcome{Place: set.Place(copied.NamespacedName)}
	if copied.Terminating {
		return outcome
	}
	set.FromSecret = set.FromSecret || copied.isOfSecret()
	result, err := w.endCopy(ctx, set, copied, how, maxTries)
	switch {
	case errors.Is(err, errWithdrawn):
		outcome.Pending, outcome.RetryAfter = true, withdrawnPause
	case err != nil:
		outcome = outcome.withError(v1.ReasonDestinationWriteFailed, set.explain(how.operation, outcome.Place, err), err)
	case result == how.result:
		outcome.Action = how.action
	case result == released:
		outcome.Action = LeftAlone
	}
	return outcome
}

// endCopy ends the copy, and lets the cache know how that went.
func (w *Writer) endCopy(ctx context.Context, set CopySet, copied Copy, how ending, tries int) (endResult, error) {
	if err := set.checkSuspended(); err != nil { // the cache does not forget the copy
		return present, err
	}
	result, err := set.Cache.end(copied.NamespacedName, set.Owner.Key(), func() (State, endResult, error) {
		return w.endWithRetry(ctx, set, copied, how, tries)
	})
	if err != nil && !copied.Labelled { // nor one that the watch does not show
		set.Cache.Remember(copied.NamespacedName, set.Owner.Key())
	}
	return result, err
}

// endWithRetry ends the copy as it was seen, and as it is now if it has changed since. It returns the copy as it was last seen, and how it
// ended.
func (w *Writer) endWithRetry(ctx context.Context, set CopySet, copied Copy, how ending, tries int) (State, endResult, error) {
	for try := 1; ; try++ {
		after, err := how.send(ctx, set, copied)
		switch {
		case err == nil:
			return after, how.result, nil
		case apierr.IsObjectNotFound(err, copied.Name):
			return copied.State, notFound, nil
		case !apierrors.IsConflict(err) || try == tries:
			return copied.State, present, err
		}
		live, err := w.getMetadata(ctx, set, copied.NamespacedName)
		if err != nil {
			return copied.State, present, err
		}
		if result := endResultOf(set.Owner, copied, live); result != present {
			return copied.State, result, nil
		}
		copied.State = stateOf(set.Owner.Kind, live)
	}
}

// endResultOf returns how a copy has ended at whose place the live object is now, if one is.
func endResultOf(rule owner.Identity, copied Copy, live *metav1.PartialObjectMetadata) endResult {
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
	if err := set.checkSuspended(); err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return client.Resource(set.Resource).Namespace(copied.Namespace).Delete(ctx, copied.Name, metav1.DeleteOptions{
		Preconditions:     &metav1.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion},
		PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
	})
}
