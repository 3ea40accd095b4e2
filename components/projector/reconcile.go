package projector

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconcile brings the copies of one rule in sync with its source. A reconcile that takes long goes on after Reconcile has
// returned.
func (p *Projector[O]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return p.background.reconcile(ctx, request, func(ctx context.Context, run *run) (result reconcile.Result, err error) {
		err = p.catchPanic(ctx, func() error {
			result, err = p.reconcile(ctx, request, run)
			return err
		})
		return result, err
	})
}

func (p *Projector[O]) reconcile(ctx context.Context, request reconcile.Request, run *run) (reconcile.Result, error) {
	rule, found, err := p.latest.get(ctx, request.NamespacedName, p.adapter.New())
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		p.forgetRule(request.NamespacedName)
		return reconcile.Result{}, p.deleteLate(ctx, request.NamespacedName)
	}
	pass := p.newScope(rule, run)
	defer p.releaseSlots(pass.key, pass.reserved)
	err = p.catchPanic(ctx, func() error {
		if pass.isDeleting() {
			return pass.finalize(ctx)
		}
		return pass.project(ctx)
	})
	return pass.finish(ctx, err)
}

// project goes from the rule to its copies. What is not known never makes the plan smaller: an error ends the pass
// before anything is deleted. A source that is gone or withdrawn is known, and makes the plan empty.
func (s *scope[O]) project(ctx context.Context) error {
	if err := s.checkFields(ctx); err != nil { // every field that the rule uses
		return err
	}
	if err := s.resolveKind(ctx); err != nil { // the kind of the source
		return err
	}
	if err := s.restoreFinalizer(ctx); err != nil { // the finalizer of a rule that has written, whatever can be read
		return err
	}
	if err := s.readSource(ctx); err != nil { // the source, watched before it is read; may it be projected?
		return err
	}
	if err := s.claim(ctx); err != nil { // the finalizer, before the first write; a source that cannot be read holds no rule
		return err
	}
	if err := s.loadInventory(ctx); err != nil { // stock of the copies that there are
		return err
	}
	if err := s.plan(ctx); err != nil { // the copies that there are to be
		return err
	}
	s.apply()    // new and changed copies first,
	s.prune(ctx) // then those that are no longer wanted go
	return s.finishPrune(ctx)
}
