package destination

import (
	"context"
	"errors"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// Relabel restores the label of the operator on a copy that lacks it or bears the uid of an earlier rule, so that the watch reports its changes,
// and the place that it names. To do so again and again counts as repairs, which back off.
func (w *Writer) Relabel(ctx context.Context, set CopySet, copied Copy) Outcome {
	outcome := Outcome{Place: set.Place(copied.NamespacedName)}
	wanted := AnyContent(set.Owner.UID)
	if held, found := set.Cache.heldRepair(copied.NamespacedName, set.Owner.Key(), wanted); found {
		return held.failure(outcome)
	}
	set.FromSecret = set.FromSecret || copied.isOfSecret()
	end, err := set.Cache.write(copied.NamespacedName, set.Owner.Key(), wanted, func(State) (on, written State, err error) {
		written, err = w.restoreMarks(ctx, set, copied, wanted)
		return copied.State, written, err
	})
	if err != nil && !apierr.IsObjectNotFound(err, copied.Name) {
		set.Cache.Remember(copied.NamespacedName, set.Owner.Key())
	}
	switch {
	case errors.Is(err, errWithdrawn):
		outcome.Pending = true
		return outcome
	case apierr.IsObjectNotFound(err, copied.Name):
		return outcome
	case err != nil:
		return outcome.withError(v1.ReasonDestinationWriteFailed, set.explain(updating, outcome.Place, err), err)
	}
	outcome.Action = Updated
	return end.failure(outcome)
}

// restoreMarks restores the marks of a copy that only has to exist.
func (w *Writer) restoreMarks(ctx context.Context, set CopySet, copied Copy, wanted string) (State, error) {
	after, err := w.patchMarks(ctx, set, copied, set.marks(copied.NamespacedName, wanted))
	if err != nil {
		return State{}, err
	}
	return stateOf(set.Owner.Kind, after), nil
}
