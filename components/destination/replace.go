package destination

import (
	"context"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// deleteReplaced deletes the copy, which the API server has refused to change in place, if it was written from another object than the
// one that is the source now. It reports whether the place is free; if not, it returns the refusal, or why the copy could not be deleted.
//
// Example: somebody deletes an immutable Secret and creates it again with other data, so fast that the operator does not see the
// deletion. If it had, it would have deleted the copy, and created it again.
func (a *attempt) deleteReplaced(ctx context.Context, refusal error) (bool, error) {
	at := a.outcome.Place.NamespacedName
	live, err := a.writer.getMetadata(ctx, a.set, at)
	if err != nil {
		return false, &readError{err}
	}
	from := live.Annotations[v1.AnnotationSourceUID]
	if from == "" || from == string(a.sourceUID) || live.DeletionTimestamp != nil || !mayDelete(a.set.Owner, live) {
		return false, refusal
	}
	err = a.writer.delete(ctx, a.set, Copy{NamespacedName: at, State: stateOf(a.set.Owner.Kind, live)})
	if err != nil && !apierr.IsObjectNotFound(err, at.Name) {
		return false, err
	}
	return true, nil
}
