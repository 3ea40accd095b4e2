package component

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Finalize deletes everything that the component manages or is to delete, for a finalizer of the owner: also objects that
// the garbage collector leaves behind, such as cluster-scoped ones of a namespaced owner. Objects go in the reverse order of
// a component that is disabled, each only when those after it are gone; it does not wait for that, but reports done=false,
// and the caller calls it again when an object is gone or after some time. What OrphanWhen releases is released. Gates, prerequisites and a
// suspension do not matter; options that keep from deleting do.
//
// The condition in memory is Disabled: False until all objects are gone, or the error.
//
// Example: a controller adds a finalizer to the owner before it reconciles. When the owner is being deleted, it calls
// Finalize of its components, the last one first, and removes the finalizer once all are done.
func (c *Component) Finalize(ctx context.Context, rec ReconcileContext) (done bool, err error) {
	p := &pass{component: c, rec: rec.withDefaults()}
	ctx = logf.IntoContext(ctx, logf.FromContext(ctx).WithValues("component", c.name, "condition", c.conditionType))
	remaining, err := p.finalize(ctx)
	c.stageFinalize(rec.Owner, remaining, err)
	return remaining == "" && err == nil, err
}

// finalize returns the identity of the object that it waits for, or "".
func (p *pass) finalize(ctx context.Context) (remaining string, err error) {
	if err := p.orphanAll(ctx); err != nil {
		return "", err
	}
	for _, r := range slices.Backward(slices.Concat(p.component.managed(), p.component.deleted)) {
		if gone, err := p.finalizeResource(ctx, r); err != nil || !gone {
			return r.identity, err
		}
	}
	return "", nil
}

// finalizeResource deletes the object, unless that has been done, and reports whether it is gone.
func (p *pass) finalizeResource(ctx context.Context, r registration) (gone bool, err error) {
	object, err := r.resource.Object()
	if err != nil {
		return false, fmt.Errorf("failed to get resource %s's underlying object on deletion: %w", r.identity, err)
	}
	live, err := p.doomed(ctx, object, r)
	if err != nil || live == nil {
		return err == nil, err
	}
	if live.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if err := p.deleteAsSeen(ctx, r, live, fmt.Sprintf("Resource %s deleted with its owner", r.identity)); err != nil {
		return false, err
	}
	live, err = p.doomed(ctx, object, r)
	return err == nil && live == nil, err
}

func (c *Component) stageFinalize(owner OperatorCRD, remaining string, err error) {
	condition := metav1.Condition{
		Type: string(c.conditionType), Status: metav1.ConditionTrue, Reason: string(Disabled),
		Message: "Component is terminated.", ObservedGeneration: owner.GetGeneration(),
	}
	switch {
	case err != nil:
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, string(Error), err.Error()
	case remaining != "":
		condition.Status = metav1.ConditionFalse
		condition.Message = fmt.Sprintf("Component is terminating: waiting for %s to be gone.", remaining)
	}
	condition.Message = bounded(condition.Message)
	meta.SetStatusCondition(owner.GetStatusConditions(), condition)
}
