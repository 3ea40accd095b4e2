package projector

import (
	"fmt"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// problem is what a condition tells. The zero verdict is that all is well.
type problem struct {
	Reason, Message string
}

// stepError ends a pass early, with what the named condition tells.
type stepError struct {
	condition string
	problem
	// cause asks for another try with backoff; without one, the verdict stands until something wakes the rule.
	cause error
	// requeueAfter is when to look again although nothing woke the rule; zero: not at all.
	requeueAfter time.Duration
	// transient tells of a verdict that the API server is about to change by itself.
	transient bool
}

func (e *stepError) Error() string {
	return fmt.Sprintf("%s: %s", e.Reason, e.Message)
}

func (e *stepError) Unwrap() error { return e.cause }

// retryable ends a pass that could not find something out. Copies stay as they are.
func retryable(condition, reason string, err error) error {
	return &stepError{condition: condition, problem: problem{reason, apierr.Message(err)}, cause: err}
}

// terminal ends a pass whose rule cannot be followed as it stands.
func terminal(message string, again time.Duration) error {
	return &stepError{condition: v1.ConditionSourceResolved, problem: problem{v1.ReasonSourceResolutionFailed, message}, requeueAfter: again}
}
