package projector

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconcile brings the copies of one rule in sync with its source. A reconcile that takes long goes on after Reconcile has
// returned.
func (p *Projector[O]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return p.background.reconcile(ctx, request, func(ctx context.Context, run *run) (result reconcile.Result, err error) {
		err = p.hub.catchPanic(ctx, p.adapter.Kind, func() error {
			result, err = p.reconcile(ctx, request, run)
			return err
		})
		return result, err
	})
}

func (p *Projector[O]) reconcile(ctx context.Context, request reconcile.Request, run *run) (reconcile.Result, error) {
	if err := p.catchUp(ctx); err != nil {
		return reconcile.Result{}, err
	}
	rule, found, err := p.rules.get(ctx, request.NamespacedName, p.adapter.New())
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		return p.reconcileUncached(ctx, request.NamespacedName, run)
	}
	s := p.newScope(rule, run)
	defer s.end()
	err = s.catchPanic(ctx, func() error {
		defer s.dispatch()
		switch {
		case s.isDeleting():
			return s.finalize(ctx)
		case s.isLeft():
			return s.leave(ctx)
		default:
			return s.project(ctx)
		}
	})
	result, end := s.finish(ctx, err)
	s.logReconcile(ctx, err, result, end)
	return result, end
}

// project goes from the rule to its copies. An error ends it before anything is deleted: what is not known never makes the plan
// smaller. That a source is gone, or that its owner has opted out, is known, and makes the plan empty.
func (s *scope[O]) project(ctx context.Context) error {
	for _, phase := range []func(context.Context) error{
		s.checkFields,         // the operator knows every field that the rule uses
		s.resolveClusters,     // of the copies, if there are others
		s.letGo,               // of the clusters that are left
		s.checkBranch,         // the cluster of the copies, if this is a branch
		s.checkCluster,        // of the source
		s.checkRecord,         // of consent, which is about the source that the rule names
		s.resolveKind,         // of the source
		s.restoreFinalizer,    // of a rule that has copies, whether the source can be read or not
		s.readSources,         // watched before they are read
		s.checkConsent,        // of the source's owner
		s.checkLastConsent,    // the record ends before the first copy is deleted
		s.revoke,              // the copies that the owner does not permit any more, whatever else becomes of the rule
		s.checkLayers,         // what is merged is known
		s.checkRing,           // the source does not come from the rule's own copy
		s.checkRule,           // it can be carried out; if not, the copies stay for as long as the owner of the source consents
		s.local.loadInventory, // the copies that there are; if that cannot be known, the rule is not claimed, and can be deleted
		s.claim,               // the finalizer, before the first write
		s.checkHere,           // the cluster of the rule, after the others are recorded
		s.checkForbidden,      // if there are copies to be written
		s.prepare,             // the namespaces of the copies
		s.plan,                // the copies that there are to be
		s.checkMayWrite,       // if this is a branch
		s.local.apply,         // new and changed copies first
		s.checkStays,          // the cluster, if this is a branch
		s.local.prune,         // then those that are no longer wanted are deleted
		s.local.roll,          // after what waits for nothing, the copies whose turn it is in a rollout
		s.finishPrune,         // and the kinds forgotten that no copy is of any more
		s.checkPrepared,       // the namespaces that could not be created
		s.checkFailed,         // of several sources, those that could not be copied
	} {
		if err := phase(ctx); err != nil {
			s.revokeDenied(ctx, err)
			return s.withRevoked(ctx, err)
		}
	}
	s.revokeDenied(ctx, nil)
	return s.withRevoked(ctx, nil)
}

// isDeleting reports whether the rule is being deleted.
func (s *scope[O]) isDeleting() bool { return !s.rule.GetDeletionTimestamp().IsZero() }
