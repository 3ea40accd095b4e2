package plan

import (
	"errors"
	"fmt"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/policy"
)

// ErrNotRead says that the source was not read, since other reads have to end first.
var ErrNotRead = errors.New("the source waits to be read")

// Error ends a reconcile early. It says what the named condition reports. Copies stay as they are.
type Error struct {
	// Condition is a condition type of api/v1.
	Condition string
	policy.Problem
	// Err is the cause. It may be nil.
	Err error
	// Retry asks for another try with backoff. Without it, the problem stands until an event enqueues the rule.
	Retry bool
	// RequeueAfter is when to look again although no event enqueues the rule; zero: never.
	RequeueAfter time.Duration
	// Transient reports whether the API server is about to solve the problem by itself.
	Transient bool
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Reason, e.Message) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable is the error of a step that could not find something out.
func Retryable(condition, reason string, err error) error {
	return &Error{Condition: condition, Problem: policy.Problem{Reason: reason, Message: apierr.Message(err)}, Err: err, Retry: true}
}

// unusableKind is the error of a rule whose kind of source cannot be copied.
func unusableKind(err error, requeueAfter time.Duration, transient bool) error {
	return &Error{
		Condition:    v1.ConditionSourceResolved,
		Problem:      policy.Problem{Reason: v1.ReasonSourceResolutionFailed, Message: err.Error()},
		Err:          err,
		RequeueAfter: requeueAfter,
		Transient:    transient,
	}
}
