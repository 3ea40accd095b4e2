package destination

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/mutations"
)

// claims are never recreated: their data would be deleted.
var claims = corev1.Resource("persistentvolumeclaims")

// makeRoom deletes the copy, which the API server has refused to change in place, if another one may take its place. It reports whether the place
// is free; if not, it returns the refusal, or why the copy could not be deleted.
func (a *attempt) makeRoom(ctx context.Context, intent *unstructured.Unstructured, known State, manager string, refusal error) (bool, error) {
	isReplaceable := mutations.IsReplaceable(intent.GroupVersionKind().GroupKind())
	wasReplaced := known.SourceUID != 0 && known.SourceUID != digestOf(string(a.sourceUID))
	switch {
	case isReplaceable && wasReplaced: // whatever the rule says
		return a.deleteReplaced(ctx, intent, manager, refusal)
	case a.set.Recreations != nil && known.Proven && a.set.Resource.GroupResource() != claims:
		return a.recreate(ctx, intent, known, manager, refusal)
	case isReplaceable:
		return a.deleteReplaced(ctx, intent, manager, refusal)
	default:
		return false, refusal
	}
}

// errNotItsTurn says that another copy of the rule is being recreated.
var errNotItsTurn = errors.New("another copy of the rule is being recreated")

// errNotTried says that nobody knows whether the copy could be created.
var errNotTried = errors.New("the service account is allowed to create objects of this name only, so the API server cannot try to create the copy " +
	"under another name before it is deleted")

// takeTurn waits for the turn of the copy.
func (a *attempt) takeTurn(ctx context.Context) error {
	if a.recreates {
		return nil
	}
	if !a.set.Recreations.begin(ctx, a.outcome.Place, a.rendered) {
		return errNotItsTurn
	}
	a.recreates = true
	return nil
}

// prepareRecreation waits for the turn of a copy that was refused before. Others have theirs when they are refused.
func (a *attempt) prepareRecreation(ctx context.Context, known State) error {
	if a.set.Recreations == nil {
		return nil
	}
	a.recreated = a.set.Recreations.isMissing(a.outcome.Place)
	if !known.Exists() || !a.set.Recreations.isWaiting(a.outcome.Place, a.rendered) {
		return nil
	}
	return a.takeTurn(ctx)
}

// recreatedError is the refusal to change a copy that was recreated not long ago.
type recreatedError struct{ refusal error }

func (e *recreatedError) Error() string { return e.refusal.Error() }

// Unwrap returns what the API server said.
func (e *recreatedError) Unwrap() error { return e.refusal }

// recreate deletes the copy as the one object that is known, when the API server would create the new one. The next try creates it. Until the
// attempt has ended, no other copy of the rule is recreated.
func (a *attempt) recreate(ctx context.Context, intent *unstructured.Unstructured, known State, manager string, refusal error) (bool, error) {
	place := a.outcome.Place
	if a.set.Recreations.isRecent(place, a.rendered, known) {
		return false, &recreatedError{refusal}
	}
	if err := a.takeTurn(ctx); err != nil {
		return false, err
	}
	if err := a.checkWithdrawn(); err != nil {
		return false, err
	}
	tried, err := a.tryCreate(ctx, intent, manager)
	if err == nil && !tried {
		err = errNotTried
	}
	if err == nil {
		err = a.checkWithdrawn()
	}
	if err == nil {
		err = a.writer.delete(ctx, a.set, Copy{NamespacedName: place.NamespacedName, State: known})
	}
	if err != nil && !apierr.IsObjectNotFound(err, place.Name) {
		return false, err
	}
	a.set.Recreations.deleted(place, a.rendered)
	a.recreated = true
	return true, nil
}

// endRecreation notes whether there is a copy, and lets the next one have its turn.
func (a *attempt) endRecreation(exists bool) {
	if a.set.Recreations == nil {
		return
	}
	if exists {
		a.set.Recreations.written(a.outcome.Place)
	}
	if a.recreates {
		a.set.Recreations.end()
	}
}
