package projector

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/panics"
	"projection.sh/operator/components/plan"
)

// errPanic says that the operator has a bug. It does not quote the panic, which may hold a value of a Secret.
var errPanic = errors.New("the operator panicked while it reconciled this rule, and tries again; copies that it did not reach stay as they are; " +
	"please report the stack that its log has with the message \"Panic\"")

// catchPanic calls the function. It turns a panic into an error, so that a panic affects no other rule.
func (h *Hub) catchPanic(ctx context.Context, kind owner.RuleKind, do func() error) error {
	return panics.Catch(do, func(p panics.Panic) error {
		h.Metrics.Panicked(kind.Name)
		p.Log(log.FromContext(ctx), errPanic)
		return plan.Retryable(v1.ConditionDestinationWritten, v1.ReasonInternalError, errPanic)
	})
}

func (s *scope[O]) catchPanic(ctx context.Context, do func() error) error {
	return s.hub.catchPanic(ctx, s.id.Kind, do)
}
