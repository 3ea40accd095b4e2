package component

import (
	"context"
	"errors"

	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// pass is one run of Converge.
type pass struct {
	component *Component
	rec       ReconcileContext
}

// Reconcile converges the component and writes its condition into the owner in memory. The error, if any, is in the
// condition too. The caller flushes the status, also after an error.
func (c *Component) Reconcile(ctx context.Context, rec ReconcileContext) error {
	result, err := c.Converge(ctx, rec)
	c.Stage(rec.Owner, result, err)
	return err
}

// Converge does all the I/O of a reconcile and tells what it did. It reads the owner but does not change it, so that
// several components of one owner may converge at the same time. Converge of one component must not.
//
// The first error of a resource ends it. A resource that has to wait ends the work on the resources too, but is no
// error. Data cells that the resources declare are empty at first, whatever follows.
func (c *Component) Converge(ctx context.Context, rec ReconcileContext) (Convergence, error) {
	log := logf.FromContext(ctx).WithValues("component", c.name, "condition", c.conditionType)
	result := Convergence{log: log}
	c.data.clear()
	if rec.Client.RESTMapper() == nil {
		return result, errors.New("ReconcileContext.Client.RESTMapper() returned nil; a valid RESTMapper is required for reconciliation")
	}
	p := &pass{component: c, rec: rec.withDefaults()}
	err := p.run(logf.IntoContext(ctx, log), &result)
	return result, err
}

func (p *pass) run(ctx context.Context, result *Convergence) error {
	if enabled, err := p.enabled(); err != nil {
		result.verdict = verdictGateFailed
		return err
	} else if !enabled {
		return p.disable(ctx, result)
	}
	met, reason, err := p.checkPrerequisites()
	if err != nil || !met {
		result.verdict, result.reason = verdictPrerequisite, reason
		return err
	}
	work := p.convergeResources
	if p.component.suspended {
		work = p.suspendResources
	}
	if err := work(ctx, result); err != nil {
		return err
	}
	return p.deleteAndOrphan(ctx)
}

func (p *pass) enabled() (bool, error) {
	if p.component.gate == nil {
		return true, nil
	}
	return p.component.gate.Enabled()
}

func (p *pass) convergeResources(ctx context.Context, result *Convergence) error {
	for _, r := range p.component.reconciled {
		converged, known, err := p.convergeResource(ctx, r)
		if err != nil {
			return err
		}
		if known {
			result.Resources = append(result.Resources, converged)
		}
		if converged.Blocked() {
			return nil
		}
	}
	return nil
}
