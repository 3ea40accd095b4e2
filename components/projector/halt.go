package projector

import (
	"fmt"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/answer"
)

// verdict is what a condition tells. The zero verdict is that all is well.
type verdict struct {
	reason, message string
}

// halt ends a pass early, with what the named condition tells.
type halt struct {
	condition string
	verdict
	// cause asks for another try with backoff; without one, the verdict stands until something wakes the rule.
	cause error
	// again is when to look again although nothing woke the rule; zero: not at all.
	again time.Duration
	// passing tells of a verdict that the API server is about to change by itself.
	passing bool
}

func (h *halt) Error() string {
	return fmt.Sprintf("%s: %s", h.reason, h.message)
}

func (h *halt) Unwrap() error { return h.cause }

// unknown ends a pass that could not find something out. Copies stay as they are.
func unknown(condition, reason string, err error) error {
	return &halt{condition: condition, verdict: verdict{reason, answer.Sentence(err)}, cause: err}
}

// refused ends a pass whose rule cannot be followed as it stands.
func refused(message string, again time.Duration) error {
	return &halt{condition: v1.ConditionSourceResolved, verdict: verdict{v1.ReasonSourceResolutionFailed, message}, again: again}
}
