package component

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Finalize deletes everything that the component manages or is to delete, for a finalizer of the owner: also objects that
// the garbage collector leaves behind, such as cluster-scoped ones of a namespaced owner. Objects are deleted in reverse
// order of registration, each only when those after it are gone; it does not wait for that, but reports done=false, and the
// caller calls it again when an object is gone or after some time. What OrphanWhen releases is released. Gates,
// prerequisites and a suspension do not matter.
//
// Objects that have neither a reference to the owner nor a field of the component stay, as with OnlyIfOwned. So do those of
// ReadOnly, those that BlockOnForeignController keeps off, and those of Unowned, unless they are to be deleted. An object
// of a kind that is not served counts as gone.
//
// Example: an owner cannot own objects in other namespaces. Its controller adds them with Unowned and DeleteWhen(the owner
// is being deleted), so that Finalize deletes them.
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
	var errs []error
	for _, r := range p.component.orphaned {
		errs = append(errs, unlessNotServed(p.orphan(ctx, r)))
	}
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	managed := slices.DeleteFunc(p.component.managed(), func(r registration) bool { return r.unowned })
	for _, r := range slices.Backward(slices.Concat(managed, p.component.deleted)) {
		if gone, err := p.finalizeResource(ctx, r); err != nil || !gone {
			return r.identity, err
		}
	}
	return "", nil
}

// finalizeResource deletes the object, unless that has been done, and reports whether it is gone.
func (p *pass) finalizeResource(ctx context.Context, r registration) (gone bool, err error) {
	r.onlyIfOwned = true
	object, err := r.resource.Object()
	if err != nil {
		return false, fmt.Errorf("failed to get resource %s's underlying object on deletion: %w", r.identity, err)
	}
	live, err := p.liveToDelete(ctx, object, r)
	if err != nil || live == nil {
		err = unlessNotServed(err)
		return err == nil, err
	}
	if live.GetDeletionTimestamp() != nil {
		return false, nil
	}
	if err := p.deleteAsSeen(ctx, r, live, fmt.Sprintf("Resource %s deleted with its owner", r.identity)); err != nil {
		return false, err
	}
	live, err = p.liveToDelete(ctx, object, r)
	return err == nil && live == nil, err
}

// unlessNotServed returns nil instead of an error that says that the kind is not served. A reconcile has that error: the kind
// may be served later. An owner that is being deleted does not wait for it.
func unlessNotServed(err error) error {
	if meta.IsNoMatchError(err) {
		return nil
	}
	return err
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
		condition.Message = fmt.Sprintf("Component is terminating: waiting for the deletion of %s.", remaining)
	}
	condition.Message = bounded(condition.Message)
	meta.SetStatusCondition(owner.GetStatusConditions(), condition)
}
