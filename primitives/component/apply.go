package component

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/recording"
)

// apply writes a managed resource and records what that did.
func (p *pass) apply(ctx context.Context, r registration) (visit, error) {
	desired, err := r.resource.Object()
	if err != nil {
		return unchanged, fmt.Errorf("failed to retrieve object for resource %s: %w", r.identity, err)
	}
	attempt := visit{op: concepts.ConvergingOperationNone, kind: kindOf(desired, p.rec.Scheme).Kind}
	ownerless, err := p.prepare(desired, r)
	if attempt.kind == "" { // until Mutate names it
		attempt.kind = kindOf(desired, p.rec.Scheme).Kind
	}
	if err != nil {
		return attempt, err
	}
	var detail any
	op, err := p.rec.Applier.Apply(ctx, ApplyRequest{
		Desired:    desired,
		FieldOwner: p.component.fieldOwner(p.rec.Owner),
		Identity:   r.identity,
		Report:     func(reported any) { detail = reported },
		omit:       r.omit,
	})
	if wait, ok := errors.AsType[*BlockedError](err); ok {
		visited := waiting(wait.Reason)
		visited.detail = detail
		return visited, nil
	}
	if _, unreadable := errors.AsType[*existenceError](err); unreadable {
		return attempt, err
	}
	if err != nil {
		return p.refused(ctx, r, desired, attempt, err)
	}
	if ownerless && op != concepts.ConvergingOperationNone {
		logf.FromContext(ctx).Info("skipping owner reference for cluster-scoped resource owned by namespace-scoped owner; "+
			"this resource will not be garbage-collected when the owner is deleted", "resource", r.identity)
	}
	recording.RecordApplyOperationEvent(p.rec.EventRecorder, op, desired, p.rec.Owner)
	attempt.op, attempt.detail = op, detail
	return attempt, nil
}

// refused says what follows from an apply that failed.
func (p *pass) refused(ctx context.Context, r registration, desired client.Object, attempt visit, err error) (visit, error) {
	if unexpected := r.unexpected(r.identity, err); unexpected != nil {
		return attempt, unexpected
	}
	err = fmt.Errorf("failed to apply resource %s: %w", r.identity, err)
	if r.recreate && apierrors.IsInvalid(err) {
		return p.recreate(ctx, r, desired, attempt, err)
	}
	return attempt, err
}

// prepare makes desired the object to send. It is ownerless if the owner cannot own an object of its scope.
func (p *pass) prepare(desired client.Object, r registration) (ownerless bool, err error) {
	if err := r.resource.Mutate(desired); err != nil {
		return false, fmt.Errorf("failed to mutate resource %s: %w", r.identity, err)
	}
	if err := ensureKind(desired, p.rec.Scheme); err != nil {
		return false, fmt.Errorf("failed to determine GVK for resource %s: %w", r.identity, err)
	}
	ownerless, err = p.own(desired, r)
	if err != nil {
		return false, err
	}
	clearServerFields(desired)
	r.expect(desired)
	return ownerless, nil
}

func ensureKind(object client.Object, scheme *runtime.Scheme) error {
	if !object.GetObjectKind().GroupVersionKind().Empty() {
		return nil
	}
	kind := kindOf(object, scheme)
	if kind.Empty() {
		return fmt.Errorf("no GVK registered in scheme for type %T", object)
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return nil
}

// kindOf returns the kind that the object names, or else the one that the scheme has for its type. It is empty if there is
// neither.
func kindOf(object client.Object, scheme *runtime.Scheme) schema.GroupVersionKind {
	if named := object.GetObjectKind().GroupVersionKind(); !named.Empty() {
		return named
	}
	kinds, _, err := scheme.ObjectKinds(object)
	if err != nil || len(kinds) == 0 {
		return schema.GroupVersionKind{}
	}
	return kinds[0]
}

// clearServerFields removes what a reader leaves in an object and an apply must not say.
func clearServerFields(object client.Object) {
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	object.SetUID("")
	object.SetGeneration(0)
	object.SetDeletionTimestamp(nil)
	object.SetDeletionGracePeriodSeconds(nil)
	object.SetSelfLink("")
}
