package component

import (
	"context"
	"fmt"

	"projection.sh/operator/primitives/concepts"
)

// visit is what became of the object of a resource.
type visit struct {
	op concepts.ConvergingOperation
	// absent means that the object does not exist and need not.
	absent bool
	// blocked means that the resource has to wait, and reason says for what.
	blocked bool
	reason  string
	// detail is what the Applier reported.
	detail any
	// kind is the kind of an object that was to be applied; empty for one that was not, and as long as it is not known.
	kind string
}

// unchanged is the visit of an object that was only looked at.
var unchanged = visit{op: concepts.ConvergingOperationNone}

func waiting(reason string) visit {
	return visit{op: concepts.ConvergingOperationNone, blocked: true, reason: reason}
}

// convergeResource reports known=false for a resource that does not exist and need not.
func (p *pass) convergeResource(ctx context.Context, r registration) (result ResourceResult, known bool, err error) {
	if r.suspend {
		result, err = p.suspendOne(ctx, r)
		return result, true, err
	}
	reason, blocked, err := p.waits(ctx, r)
	if err != nil || blocked {
		return blockedResult(r, reason), true, err
	}
	visit := p.apply
	if r.readOnly {
		visit = p.read
	}
	visited, err := visit(ctx, r)
	if err == nil && !visited.absent && !visited.blocked {
		result, err = observe(r, visited.op)
	}
	p.count(r, visited, err)
	if err != nil || visited.absent {
		return ResourceResult{}, false, err
	}
	if visited.blocked {
		result = blockedResult(r, visited.reason)
		result.Detail = visited.detail
		return result, true, nil
	}
	result.Detail = visited.detail
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
