package projector

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
)

// errPanic says that the operator has a bug. It does not quote the panic, which may hold a value of a Secret.
var errPanic = errors.New("the operator panicked while it reconciled this rule, and tries again; copies that it did not reach stay as they are; " +
	"please report the stack that its log has with the message \"Panic\"")

// catchPanic calls the function. It turns a panic into an error, so that a panic affects no other rule.
func (p *Projector[O]) catchPanic(ctx context.Context, do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			p.deps.Metrics.panics.WithLabelValues(p.adapter.Kind.Name).Inc()
			log.FromContext(ctx).Error(errPanic, "Panic", "cause", describePanic(cause), "stack", string(debug.Stack()))
			err = retryable(v1.ConditionDestinationWritten, v1.ReasonInternalError, errPanic)
		}
	}()
	return do()
}

// describePanic returns the message of a panic of the Go runtime, and only the type of any other: it may quote an object.
func describePanic(cause any) string {
	if err, ok := cause.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", cause)
}
