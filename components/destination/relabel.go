package destination

import (
	"context"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// Relabel puts the label of the operator on a copy that has lost it, so that the watch reports its changes. To do so again and again counts as
// repairs, which back off.
func (w *Writer) Relabel(ctx context.Context, set CopySet, copied Copy) Outcome {
	outcome := Outcome{Place: set.Place(copied.NamespacedName)}
	if held, found := set.Cache.heldRepair(copied.NamespacedName, set.Owner.Key(), AnyContent); found {
		return held.failure(outcome)
	}
	set.FromSecret = set.FromSecret || copied.isOfSecret()
	end, err := set.Cache.write(copied.NamespacedName, set.Owner.Key(), AnyContent, func(State) (on, written State, err error) {
		written, err = w.relabel(ctx, set, copied)
		return copied.State, written, err
	})
	switch {
	case apierr.IsObjectNotFound(err, copied.Name):
		return outcome
	case err != nil:
		return outcome.withError(v1.ReasonDestinationWriteFailed, set.explain(updating, outcome.Place, err), err)
	}
	outcome.Action = Updated
	return end.failure(outcome)
}

func (w *Writer) relabel(ctx context.Context, set CopySet, copied Copy) (State, error) {
	stamp := set.Owner.Stamp()
	after, err := w.patchMetadata(ctx, w.Metadata, set, copied, map[string]any{"labels": map[string]any{stamp.LabelKey: stamp.LabelValue}})
	if err != nil {
		return State{}, err
	}
	return stateOf(set.Owner.Kind, after), nil
}
