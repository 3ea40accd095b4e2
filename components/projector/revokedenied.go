package projector

import (
	"context"
	"errors"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
)

// revokeDenied deletes the copies that still name a layer without consent at the end of a reconcile. Where the copies could be written, they are
// without it by now. An opt-out does not wait for a rule that cannot be carried out, nor for a copy that cannot be written; but where another try may
// write the copies, the first one is waited for.
//
// Example: the owner of one optional layer opts out while the service account of the rule is not allowed to read another.
func (s *scope[O]) revokeDenied(ctx context.Context, failure error) {
	if s.leavesDenied(failure) {
		return
	}
	left := s.leftCopies(failure)
	if !s.isMerge() && (failure == nil && len(left.outcomes) == 0 || len(s.local.sets) == 0) {
		return
	}
	sets := s.local.sets
	if s.isMerge() {
		sets = s.setsOfKinds(ctx, nil)
	}
	s.askLeft(ctx, sets, left)
	for _, set := range sets {
		copies := set.Cache.Select(s.id.Key(), func(at types.NamespacedName, copied *destination.State) bool {
			if !s.mayRevoke(set.target(at), copied) {
				return false
			}
			isDenied := s.namesDenied(copied) || s.isRefusedByFormer(ctx, set, at, copied)
			return (isDenied || s.namesOthers(copied)) && !left.mayBeWritten(set.target(at), isDenied)
		})
		if len(copies) > 0 {
			s.revokeCopies(ctx, set, copies)
		}
	}
	s.remembered(func(r *memory.Rule) { r.RevocationAwaited = left.waits })
}

// leavesDenied reports whether a reconcile that ends with the error leaves copies without consent to the next one.
func (s *scope[O]) leavesDenied(failure error) bool {
	return s.here.Err != nil || s.isSuspended() || errors.Is(failure, plan.ErrNotRead) || errors.Is(failure, errOutdated) || s.unrecorded != nil
}

// mayRevoke reports whether the copy stays as it is, since no request is under way that changes or deletes it.
func (s *scope[O]) mayRevoke(target lane.Target, copied *destination.State) bool {
	_, underWay := s.local.underWay[target]
	return !underWay && !copied.Terminating && !s.local.revoked[target]
}

// askLeft asks the owners of objects that the rule does not merge any more and whose keys are still in copies: of those that a selector of the rule
// might select, and where another try may write the copies, of all others, too.
//
// Example: a layer is removed from a rule while another one cannot be read. Then its owner opts out.
func (s *scope[O]) askLeft(ctx context.Context, sets []copySet, left *leftCopies) {
	asked := map[*sourceScope[O]]bool{}
	for _, set := range sets {
		set.Cache.Select(s.id.Key(), func(at types.NamespacedName, copied *destination.State) bool {
			if target := set.target(at); s.mayRevoke(target, copied) && !left.outcomes[target].Pending {
				named := s.namedBy(copied)
				for _, former := range named.formers {
					asked[former] = true
				}
				for _, removed := range named.removed {
					asked[removed] = left.mayPass
				}
			}
			return false
		})
	}
	maps.DeleteFunc(asked, func(_ *sourceScope[O], isAsked bool) bool { return !isAsked })
	s.ask(ctx, slices.Collect(maps.Keys(asked)))
	if len(s.selections) > 0 {
		s.setPermission()
	}
}

// isRefusedByFormer reports whether the copy names an object that the rule does not merge any more, and whose owner does not consent to this copy.
func (s *scope[O]) isRefusedByFormer(ctx context.Context, set copySet, at types.NamespacedName, copied *destination.State) bool {
	return slices.ContainsFunc(s.namedBy(copied).formers, func(former *sourceScope[O]) bool {
		return former.declared != nil && !former.consentsTo(ctx, set, destination.Copy{NamespacedName: at, State: *copied}, former.declared)
	})
}

// leftCopies are the copies that a reconcile has not written, of which a later one may write some.
type leftCopies struct {
	outcomes map[lane.Target]destination.Outcome
	// mayPass reports whether the error may pass that has ended the reconcile.
	mayPass bool
	// awaited reports whether the reconcile before this one has left a copy to this one.
	awaited bool
	// waits reports whether this one leaves a copy to the next one.
	waits bool
}

// leftCopies returns the copies that the reconcile has not written which ends with the error; nil: it ends without one.
func (s *scope[O]) leftCopies(failure error) *leftCopies {
	left := &leftCopies{outcomes: map[lane.Target]destination.Outcome{}, mayPass: mayPass(failure)}
	s.remembered(func(r *memory.Rule) { left.awaited, r.RevocationAwaited = r.RevocationAwaited, false })
	for _, outcome := range slices.Concat(s.local.outcomes, s.local.removals) {
		if outcome.Pending || outcome.Failed() {
			left.outcomes[lane.Target{Resource: outcome.Place.Resource.GroupResource(), NamespacedName: outcome.Place.NamespacedName}] = outcome
		}
	}
	return left
}

// mayPass reports whether the reconcile that ended with the error may succeed when it is tried again; nil: it has succeeded.
func mayPass(failure error) bool {
	stopped, known := errors.AsType[*plan.Error](failure)
	return failure != nil && (!known || stopped.Retry && !stopped.Refused && !apierr.IsTerminal(stopped.Err))
}

// mayBeWritten reports whether a copy that has to be without a layer is left to another try, which may write it. One that names a layer whose owner
// does not consent is left once. One that names a layer which the rule does not have any more stays for as long as the error of the reconcile may pass.
func (l *leftCopies) mayBeWritten(target lane.Target, isDenied bool) bool {
	outcome, found := l.outcomes[target]
	if outcome.Pending {
		return true
	}
	isTried := l.mayPass || found && !apierr.IsTerminal(outcome.Err)
	isLeft := isTried && !l.awaited || l.mayPass && !isDenied
	l.waits = l.waits || isLeft
	return isLeft
}

// revokeCopies deletes copies without the consent of the owners of their layers.
func (s *scope[O]) revokeCopies(ctx context.Context, set copySet, copies []destination.Copy) {
	s.revokedLayers = true
	s.local.revoke(ctx, nil, set, copies, map[types.NamespacedName]bool{})
}
