package destination

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"
)

// DeleteLate deletes what bears the mark and the uid of a rule, however new it is. It is for rules that have ended, and for
// kinds that a rule has left: a write that was under way then creates a copy that nobody wants. What is changed between
// the look and the deletion is left for another look. What is at the source's place is no copy, whatever marks it bears,
// unless the rule has applied it.
func (w *Writer) DeleteLate(ctx context.Context, set CopySet, source types.NamespacedName) (deleted []Outcome, err error) {
	copies, err := w.ListOwned(ctx, set)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, copied := range copies {
		if copied.Terminating || copied.NamespacedName == source && !copied.Applied() {
			continue
		}
		set.Cache.BeginDelete(copied.NamespacedName, set.Owner.Key())
		if err := w.delete(ctx, set, copied); err != nil {
			set.Cache.Abort(copied.NamespacedName, set.Owner.Key())
			errs = append(errs, &TargetError{Target: copied.String(), Message: "a copy that was written late cannot be deleted", cause: err})
			continue
		}
		set.Cache.Deleted(copied.NamespacedName, copied.UID)
		deleted = append(deleted, Outcome{Target: copied.NamespacedName, Action: Deleted})
	}
	return deleted, errors.Join(errs...)
}
