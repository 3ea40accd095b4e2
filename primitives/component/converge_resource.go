package component

import (
	"context"
	"fmt"

	"projection.sh/operator/primitives/concepts"
)

// convergeResource reports known=false for a resource that does not exist and need not.
func (p *pass) convergeResource(ctx context.Context, r registration) (result ResourceResult, known bool, err error) {
	reason, blocked, err := p.waits(ctx, r)
	if err != nil || blocked {
		return blockedResult(r, reason), true, err
	}
	op, known, wait := concepts.ConvergingOperationNone, true, (*BlockedError)(nil)
	if r.readOnly {
		known, wait, err = p.read(ctx, r)
	} else {
		op, wait, err = p.apply(ctx, r)
	}
	switch {
	case err != nil:
		return ResourceResult{}, false, err
	case wait != nil:
		return blockedResult(r, wait.Reason), true, nil
	case !known:
		return ResourceResult{}, false, nil
	}
	result, err = observe(r, op)
	if err != nil {
		return ResourceResult{}, false, err
	}
	return result, true, extract(r)
}

// waits asks what may hold a resource up before it is touched.
func (p *pass) waits(ctx context.Context, r registration) (reason string, blocked bool, err error) {
	if guarded, ok := r.resource.(concepts.Guardable); ok {
		guard, err := guarded.GuardStatus()
		if err != nil {
			return "", false, fmt.Errorf("failed to evaluate guard for resource %s: %w", r.identity, err)
		}
		if guard.Status == concepts.GuardStatusBlocked {
			return guard.Reason, true, nil
		}
	}
	if !r.blockOnForeign {
		return "", false, nil
	}
	return p.foreign(ctx, r)
}

func blockedResult(r registration, reason string) ResourceResult {
	return ResourceResult{
		Identity:     r.identity,
		Operation:    concepts.ConvergingOperationNone,
		Status:       GuardBlocked,
		Reason:       reason,
		registration: r,
	}
}

// observe asks a resource how far it is.
func observe(r registration, op concepts.ConvergingOperation) (ResourceResult, error) {
	result := ResourceResult{Identity: r.identity, Operation: op, registration: r}
	hasStatus := true
	var err error
	switch resource := r.resource.(type) {
	case concepts.Alive:
		var status concepts.AliveStatusWithReason
		status, err = resource.ConvergingStatus(op)
		result.Status, result.Reason = Status(status.Status), status.Reason
	case concepts.Operational:
		var status concepts.OperationalStatusWithReason
		status, err = resource.ConvergingStatus(op)
		result.Status, result.Reason = Status(status.Status), status.Reason
	case concepts.Completable:
		var status concepts.CompletionStatusWithReason
		status, err = resource.ConvergingStatus(op)
		result.Status, result.Reason = Status(status.Status), status.Reason
	default:
		hasStatus = false
	}
	if hasStatus && result.Status == "" {
		result.Status = Unknown
	}
	if err != nil {
		return result, fmt.Errorf("failed to determine converging status of resource %s: %w", r.identity, err)
	}
	return result, nil
}

func extract(r registration) error {
	extractable, ok := r.resource.(concepts.DataExtractable)
	if !ok {
		return nil
	}
	if err := extractable.ExtractData(); err != nil {
		return fmt.Errorf("failed to extract data from resource %s: %w", r.identity, err)
	}
	return nil
}
