package component

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// suspendResources suspends the managed resources that can be suspended, and leaves all others as they are. It goes on
// after errors.
func (p *pass) suspendResources(ctx context.Context, result *Convergence) error {
	result.verdict = verdictSuspended
	var errs []error
	for _, r := range p.component.managed() {
		suspendable, ok := r.resource.(concepts.Suspendable)
		if !ok {
			continue
		}
		suspended, err := p.suspendResource(ctx, r, suspendable)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		result.Resources = append(result.Resources, suspended)
	}
	return errors.Join(errs...)
}

func (p *pass) suspendResource(ctx context.Context, r registration, suspendable concepts.Suspendable) (ResourceResult, error) {
	result := ResourceResult{Identity: r.identity, Operation: concepts.ConvergingOperationNone, registration: r}
	deletes := suspendable.DeleteOnSuspend()
	gone, err := p.goneOnSuspend(ctx, r, deletes)
	if err != nil || gone != "" {
		result.Status, result.Reason = Suspended, gone
		return result, err
	}
	visited, err := p.applySuspended(ctx, r, suspendable)
	if err != nil {
		return result, err
	}
	result.Detail = visited.detail
	if visited.blocked {
		result.Status, result.Reason = PendingSuspension, visited.reason
		if !p.component.suspended {
			result.Status = GuardBlocked // by SuspendWhen: later resources wait for this one
		}
		return result, nil
	}
	result.Operation = visited.op
	status, err := suspendable.SuspensionStatus()
	if err != nil {
		return result, fmt.Errorf("failed to retrieve suspension status for resource %s: %w", r.identity, err)
	}
	result.Status, result.Reason = Status(status.Status), status.Reason
	if err := extract(r); err != nil {
		return result, err
	}
	if result.Status == Suspended && suspendable.DeleteOnSuspend() {
		return result, p.delete(ctx, r, fmt.Sprintf("Resource %s deleted on suspension", r.identity))
	}
	return result, nil
}

// goneOnSuspend says why an object that suspension deletes is not applied in its suspended form first, or "".
func (p *pass) goneOnSuspend(ctx context.Context, r registration, deletes bool) (reason string, err error) {
	object, err := r.resource.Object()
	if err != nil {
		return "", fmt.Errorf("failed to get object on suspension: %w", err)
	}
	if !deletes {
		return "", nil
	}
	live := emptyLike(object)
	err = p.rec.Client.Get(ctx, client.ObjectKeyFromObject(object), live)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("Resource %s already deleted.", r.identity), nil
	case err != nil:
		return "", fmt.Errorf("failed to check existence of resource %s on suspension: %w", r.identity, err)
	case r.onlyIfOwned && !p.ours(live):
		return fmt.Sprintf("Resource %s is not the owner's to delete.", r.identity), nil
	default:
		return "", nil
	}
}

// applySuspended applies the object in its suspended form. Another's object makes it wait.
func (p *pass) applySuspended(ctx context.Context, r registration, suspendable concepts.Suspendable) (visit, error) {
	if r.blockOnForeign {
		reason, foreign, err := p.foreign(ctx, r)
		if err != nil {
			return unchanged, err
		}
		if foreign {
			return waiting(reason), nil
		}
	}
	if err := suspendable.Suspend(); err != nil {
		return unchanged, fmt.Errorf("failed to suspend resource: %w", err)
	}
	visited, err := p.apply(ctx, r)
	p.count(r, visited, err)
	if err != nil {
		return unchanged, fmt.Errorf("failed to create or update resource %s on suspension: %w", r.identity, err)
	}
	return visited, nil
}
