package projector

import (
	"context"
	"maps"
	"slices"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// HubCluster is what is known of the RemoteClusters that are the cluster of the rule itself, and by which the rule has copies there.
type HubCluster struct {
	// Names are those of the RemoteClusters by which the rule copies into its own cluster.
	Names []string
	// Err is why nothing may be changed there now; nil: it may.
	Err *plan.Error
	// Forbidden is why no copies may be written there; nil: they may. Those that are there may be deleted.
	Forbidden *plan.Error
	// Leaves says what becomes of the copies there since the last of the RemoteClusters is being deleted; Stays: it is not.
	Leaves Leaving
}

// resolveHere finds out what the RemoteClusters say that are the cluster of the rule.
func (s *scope[O]) resolveHere(ctx context.Context) (err error) {
	s.here, err = s.adapter.Fanout.Hub(ctx, s.rule)
	return err
}

// hereRecorded returns the RemoteClusters among the recorded ones that are the cluster of the rule.
func (s *scope[O]) hereRecorded() map[string]string {
	here := map[string]string{}
	for name, identity := range s.recorded() {
		if identity == s.hub.Identity {
			here[name] = identity
		}
	}
	return here
}

// recordHere adds the RemoteClusters to the record that are the cluster of the rule: they wait for the rule when they are deleted, and what becomes of
// the copies is known if one of them vanishes.
func (s *scope[O]) recordHere(recorded map[string]string) {
	for _, name := range s.here.Names {
		if s.mayWriteHere() {
			recorded[name] = s.hub.Identity
		}
	}
}

// mayWriteHere reports whether it is known that the rule may have copies in its own cluster, and it is not suspended.
func (s *scope[O]) mayWriteHere() bool {
	return s.isHereKnown() && s.here.Forbidden == nil && !s.isSuspended()
}

// isHereKnown reports whether it is known if the rule may have copies in its own cluster.
func (s *scope[O]) isHereKnown() bool { return s.here.Err == nil }

// claimHere has the RemoteClusters wait for the rule that are the cluster of the rule.
func (s *scope[O]) claimHere(ctx context.Context) error {
	if !s.mayWriteHere() {
		return nil
	}
	for _, name := range s.here.Names {
		if err := s.adapter.Fanout.Claim(ctx, name); err != nil {
			return s.unclaimed(name, err)
		}
	}
	return nil
}

// checkHere ends the reconcile if nothing may be changed in the cluster of the rule. What is to be known of other clusters is recorded by then.
func (s *scope[O]) checkHere(context.Context) error {
	if s.here.Err != nil {
		return s.here.Err
	}
	return nil
}

// checkStaysHere is checkStays for the cluster of the rule.
func (s *scope[O]) checkStaysHere(ctx context.Context) error {
	if s.adapter.Fanout == nil || !s.hasClusters() {
		return nil
	}
	now, err := s.adapter.Fanout.Hub(ctx, s.rule)
	switch {
	case err != nil:
		return err
	case now.Err != nil:
		return now.Err
	case now.Leaves != s.here.Leaves:
		return errLeft
	default:
		return nil
	}
}

// checkForbidden ends the reconcile if copies are wanted that may not be written. Copies that are not wanted end nevertheless.
func (s *scope[O]) checkForbidden(context.Context) error {
	switch {
	case !s.isCopied():
		return nil
	case s.branch != nil:
		return s.branch.Destination.Forbidden(s.rule, s.spec)
	case s.here.Forbidden != nil:
		return s.here.Forbidden
	default:
		return nil
	}
}

// orphansHere returns what becomes of copies in the cluster of the rule: those that the rule would delete become ordinary objects if its RemoteCluster is
// deleted, and says so. A copy that somebody does not consent to is deleted in any case.
func (s *scope[O]) orphansHere(dispose disposer) disposer {
	if s.branch != nil || s.here.Leaves != Orphans || len(s.here.Names) > 0 || !s.isCopied() {
		return dispose
	}
	return func(set copySet, copied destination.Copy) plan.Disposal {
		disposal, source := dispose(set, copied), s.sourceOf(copied)
		isWanted := source != nil && (!s.spec.Selects() || source.isSelected() && source.source != nil)
		if disposal != plan.DeleteIt || !isWanted || s.namesDenied(&copied.State) {
			return disposal
		}
		return plan.OrphanIt
	}
}

// forgetHere takes the RemoteClusters from the record of the rule by which it no longer copies into its own cluster, if no copy is left there, or if the
// rule copies there by another one, or by none.
func (s *scope[O]) forgetHere(ctx context.Context) error {
	if s.branch != nil || s.adapter.Fanout == nil {
		return nil
	}
	left := maps.Clone(s.recorded())
	for name := range s.hereRecorded() {
		if !slices.Contains(s.here.Names, name) {
			delete(left, name)
		}
	}
	if len(left) == len(s.recorded()) {
		return nil
	}
	if s.hasClusters() && len(s.here.Names) == 0 {
		remain, err := s.local.hasCopies(ctx, s.local.sets[0])
		if err != nil {
			return s.unlisted(err)
		}
		if remain || s.local.keptCopies {
			return nil
		}
	}
	base := s.rule.DeepCopyObject().(O)
	s.setRecorded(left)
	return s.patch(ctx, base)
}
