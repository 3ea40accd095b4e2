package destination

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"
)

// DeleteLate deletes every copy of a rule that has ended, or that has no copies of that kind any more.
// Example: a rule is deleted while its write is under way; the API server creates that copy when the rule is gone already.
//
// A copy that is changed between the list and its deletion is an error; the caller calls again. An object at the place of the source
// is no copy, whatever annotations it has, unless the rule has applied it; without a name, every object in the namespace of the sources. DeleteLate
// returns how many copies it has deleted.
func (w *Writer) DeleteLate(ctx context.Context, set CopySet, source types.NamespacedName) (count int, err error) {
	copies, _, err := w.ListOwned(ctx, set)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, copied := range copies {
		if copied.Terminating || isSource(source, copied.NamespacedName) && !copied.Applied() {
			continue
		}
		result, err := w.endCopy(ctx, set, copied, w.deletion(), 1)
		if errors.Is(err, errWithdrawn) {
			return count, errors.Join(errs...)
		}
		if result == deleted {
			count++
		}
		if err != nil {
			errs = append(errs, &TargetError{Target: copied.String(), Message: "a copy that was written late cannot be deleted", cause: err})
		}
	}
	return count, errors.Join(errs...)
}

// EndListed deletes a copy that ListOwned has returned of a rule that has ended, or makes it an ordinary object, as the one object that it was when it was
// listed. It reports whether it did: not if the object has changed since, or is being deleted already.
func (w *Writer) EndListed(ctx context.Context, set CopySet, copied Copy, orphans bool) (done bool, err error) {
	if copied.Terminating {
		return false, nil
	}
	how := w.deletion()
	if orphans {
		how = ending{send: w.retain, result: retained}
	}
	_, result, err := w.endWithRetry(ctx, set, copied, how, 1)
	return err == nil && result == how.result, err
}

// isSource reports whether an object can be the source of a rule that has applied none there. The source has no name if the rule selects several.
func isSource(source, at types.NamespacedName) bool {
	return at == source || source.Name == "" && source.Namespace != "" && at.Namespace == source.Namespace
}
