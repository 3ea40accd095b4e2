package component

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// disable deletes everything that the component manages or is to delete.
func (p *pass) disable(ctx context.Context, result *Convergence) error {
	all := slices.Concat(p.component.managed(), p.component.deleted)
	err := errors.Join(p.deleteAll(ctx, all, "disabled feature gate"), p.orphanAll(ctx))
	if err == nil {
		result.verdict = verdictDisabled
	}
	return err
}

// deleteAndOrphan deletes and orphans what the options say.
func (p *pass) deleteAndOrphan(ctx context.Context) error {
	return errors.Join(p.deleteAll(ctx, p.component.deleted, "resource deletion flag"), p.orphanAll(ctx))
}

func (p *pass) deleteAll(ctx context.Context, registrations []registration, cause string) error {
	var errs []error
	for _, r := range registrations {
		errs = append(errs, p.delete(ctx, r, fmt.Sprintf("Resource %s deleted due to %s", r.identity, cause)))
	}
	return errors.Join(errs...)
}

// delete deletes an object and its dependents in the background, as the very object that was seen: one that was changed
// or replaced since then is looked at again in the next pass. An object that is gone is a success without an event.
func (p *pass) delete(ctx context.Context, r registration, note string) error {
	object, err := r.resource.Object()
	if err != nil {
		return fmt.Errorf("failed to get resource %s's underlying object on deletion: %w", r.identity, err)
	}
	live, err := p.liveToDelete(ctx, object, r)
	if err != nil || live == nil {
		return err
	}
	return p.deleteAsSeen(ctx, r, live, note)
}

func (p *pass) deleteAsSeen(ctx context.Context, r registration, live client.Object, note string) error {
	err := p.rec.Client.Delete(ctx, live, client.PropagationPolicy(metav1.DeletePropagationBackground),
		client.Preconditions{UID: new(live.GetUID()), ResourceVersion: new(live.GetResourceVersion())})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("failed to delete resource %s: %w", r.identity, err)
	}
	p.recordEvent(live, EventReasonDeleted, actionDelete, note)
	return nil
}

// liveToDelete returns the live object, or nil if there is none or the options keep it.
func (p *pass) liveToDelete(ctx context.Context, object client.Object, r registration) (client.Object, error) {
	live := emptyLike(object)
	err := p.rec.APIReader.Get(ctx, client.ObjectKeyFromObject(object), live)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get resource %s's underlying object on deletion: %w", r.identity, err)
	}
	log := logf.FromContext(ctx).WithValues("resource", r.identity)
	if reason, foreign := foreignController(live, p.rec.Owner); foreign && r.blockOnForeign {
		log.Info("not deleting a resource of another controller", "reason", reason)
		return nil, nil
	}
	if r.onlyIfOwned && !p.ours(live) {
		log.Info("not deleting a resource that is not the owner's")
		return nil, nil
	}
	return live, nil
}

func (p *pass) orphanAll(ctx context.Context) error {
	var errs []error
	for _, r := range p.component.orphaned {
		errs = append(errs, p.orphan(ctx, r))
	}
	return errors.Join(errs...)
}

// orphan removes the reference to the owner from the live object.
func (p *pass) orphan(ctx context.Context, r registration) error {
	object, err := r.resource.Object()
	if err != nil {
		return fmt.Errorf("failed to get resource %s's underlying object on orphan: %w", r.identity, err)
	}
	released := false
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live := emptyLike(object)
		if err := p.rec.APIReader.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
			return client.IgnoreNotFound(err)
		}
		before := live.DeepCopyObject().(client.Object)
		if released = removeOwner(live, p.rec.Owner.GetUID()); !released {
			return nil
		}
		// A patch, unlike an update, keeps the fields that a typed object does not know.
		return p.rec.Client.Patch(ctx, live, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
	if err != nil {
		return fmt.Errorf("failed to orphan resource %s: %w", r.identity, err)
	}
	if released {
		p.recordEvent(object, EventReasonOrphaned, actionOrphan,
			fmt.Sprintf("Resource %s orphaned: owner reference removed", r.identity))
	}
	return nil
}
