package destination

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// writeFunc writes a copy on the State that is known of it, or creates it if that State does not exist. It returns the State that
// it wrote on last, which is another one if it has looked again, and the State in the API server's answer.
type writeFunc func(known State) (on, written State, err error)

// writeEnd is how a write ended.
type writeEnd struct {
	// repair reports whether the write undid what somebody else had done to the copy, and undone is what that was.
	repair bool
	undone drift
	// backingOff reports whether the repairs of the copy back off.
	backingOff bool
	backoff    backoff
}

// failure returns the outcome, changed to a failure if the repairs of the copy back off.
func (e writeEnd) failure(outcome Outcome) Outcome {
	if e.backingOff {
		return e.backoff.failure(outcome)
	}
	return outcome
}

// write calls the function to write the rule's copy. Until it returns, no event of the place enqueues the rule. A function that
// fails or panics has written nothing; one that fails with a conflict has met somebody who writes each time that it does.
func (c *CopyCache) write(at, rule types.NamespacedName, content string, do writeFunc) (end writeEnd, err error) {
	var known, on, written State
	c.change(func(x *copyIndex) []types.NamespacedName {
		known = x.beginWrite(at, rule, content)
		return nil
	})
	succeeded := false
	defer c.change(func(x *copyIndex) (enqueue []types.NamespacedName) {
		switch {
		case succeeded:
			if on.ResourceVersion != written.ResourceVersion {
				end.undone, end.repair = x.repaired(at, rule, content)
			}
			enqueue = x.endWrite(at, rule, content, written)
			end.backoff, end.backingOff = x.backingOff(at)
		case apierrors.IsConflict(err):
			x.abort(at, rule)
			x.overtaken(at, rule, content)
			end.backoff, end.backingOff = x.backingOff(at)
		default:
			x.abort(at, rule)
		}
		return enqueue
	})
	on, written, err = do(known)
	succeeded = err == nil
	return end, err
}

// endFunc ends a copy. It returns the object that it deleted, retained or did not find.
type endFunc func() (object State, result endResult, err error)

// end calls the function to end the rule's copy. The copy is no longer wanted, and no event of its end enqueues the rule.
func (c *CopyCache) end(at, rule types.NamespacedName, do endFunc) (result endResult, err error) {
	c.change(func(x *copyIndex) []types.NamespacedName {
		x.beginDelete(at, rule)
		return nil
	})
	var object State
	defer c.change(func(x *copyIndex) []types.NamespacedName {
		switch {
		case err == nil && result == deleted:
			x.deleted(at, object.UID)
		case err == nil && result == retained:
			x.retained(at, object)
		case err == nil && result == notFound:
			x.notFound(at, rule, object.UID)
		default:
			x.abort(at, rule)
		}
		return nil
	})
	object, result, err = do()
	return result, err
}
