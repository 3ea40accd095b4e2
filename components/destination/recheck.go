package destination

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// checkWithdrawn returns errWithdrawn if the rule wants no copy in the namespace any more, or has got another spec.
func (a *attempt) checkWithdrawn() error {
	if a.set.Withdrawn != nil && a.set.Withdrawn(a.outcome.Place.Namespace) {
		return errWithdrawn
	}
	return nil
}

// recheck returns the state to write on now: that of our own copy or of an object that is to be adopted, or none if the place is free. Anything
// else is a conflict, whose end enqueues the rule.
func (a *attempt) recheck(ctx context.Context, intent *unstructured.Unstructured) (State, error) {
	at, key := a.outcome.Place.NamespacedName, a.set.ruleKey()
	if err := a.writer.Blockers.Watch(ctx, key, a.set.Resource, at); err != nil {
		return State{}, &readError{err}
	}
	a.adopts, a.watched = nil, false
	seen, err := a.look(ctx)
	if err != nil {
		return State{}, &readError{err}
	}
	if conflict := conflictWith(seen.PartialObjectMetadata, a.set.Owner); conflict != nil {
		inTheWay := a.decide(ctx, seen, conflict, intent)
		if a.adopts != nil && inTheWay == nil {
			return State{UID: seen.UID, ResourceVersion: seen.ResourceVersion}, nil
		}
		a.writer.Blockers.SetFinding(key, a.set.Resource, seen, inTheWay)
		return State{}, inTheWay
	}
	a.writer.Blockers.Unwatch(key, a.set.Resource, at)
	if seen.UID == "" {
		return State{}, nil
	}
	return stateOf(a.set.Owner.Kind, seen), nil
}
