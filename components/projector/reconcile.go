package projector

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Reconcile brings the copies of one rule in sync with its source. A reconcile that takes long goes on after Reconcile has
// returned.
func (p *Projector[O]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	return p.background.reconcile(ctx, request, func(ctx context.Context, run *run) (result reconcile.Result, err error) {
		err = p.recovering(ctx, func() error {
			result, err = p.reconcile(ctx, request, run)
			return err
		})
		return result, err
	})
}

func (p *Projector[O]) reconcile(ctx context.Context, request reconcile.Request, run *run) (reconcile.Result, error) {
	rule, found, err := p.latest.get(ctx, request.NamespacedName, p.rules.New())
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found {
		p.forget(request.NamespacedName)
		return reconcile.Result{}, p.sweep(ctx, request.NamespacedName)
	}
	pass := p.begin(rule, run)
	defer p.giveBack(pass.waker, pass.reserved)
	err = p.recovering(ctx, func() error {
		if pass.leaving() {
			return pass.finalize(ctx)
		}
		return pass.project(ctx)
	})
	return pass.finish(ctx, err)
}

// project goes from the rule to its copies. What is not known never makes the plan smaller: an error ends the pass
// before anything is deleted. A source that is gone or withdrawn is known, and makes the plan empty.
func (p *pass[O]) project(ctx context.Context) error {
	if err := p.understand(ctx); err != nil { // every field that the rule uses
		return err
	}
	if err := p.resolve(ctx); err != nil { // the kind of the source
		return err
	}
	if err := p.reclaim(ctx); err != nil { // the finalizer of a rule that has written, whatever can be read
		return err
	}
	if err := p.read(ctx); err != nil { // the source, watched before it is read; may it be projected?
		return err
	}
	if err := p.claim(ctx); err != nil { // the finalizer, before the first write; a source that cannot be read holds no rule
		return err
	}
	if err := p.take(ctx); err != nil { // stock of the copies that there are
		return err
	}
	if err := p.plan(ctx); err != nil { // the copies that there are to be
		return err
	}
	p.converge() // new and changed copies first,
	p.prune(ctx) // then those that are no longer wanted go
	return p.settle(ctx)
}
