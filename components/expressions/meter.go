package expressions

import (
	"time"

	"github.com/google/cel-go/interpreter"
)

// meterVariable is where an evaluation finds its meter. No expression can name it.
const meterVariable = "@meter"

// meter is the budget of an evaluation, in the units that the API server counts in, and its time. Work is paid before it is done. CEL has a
// budget, too, but looks at a call when the call has returned.
//
// Example: the data of a ConfigMap are a megabyte of "a". An expression replaces each of them by all of them. The call would need a
// terabyte of memory before it costs anything.
type meter struct {
	cost, limit uint64
	// deadline is when the evaluation has taken too long; zero: never.
	deadline time.Time
	now      func() time.Time
}

func (m *meter) left() uint64 { return m.limit - m.cost }

// pay takes the cost out of the budget. If the budget does not allow it, or there is no time, it ends the evaluation: an error would not end
// loops such as all and exists.
func (m *meter) pay(cost uint64) {
	if cost > m.left() {
		m.cost = m.limit
		panic(interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: string(TooCostly)})
	}
	m.cost += cost
	if !m.deadline.IsZero() && !m.now().Before(m.deadline) {
		panic(interpreter.EvalCancelledError{Cause: interpreter.ContextCancelled, Message: string(Overtime)})
	}
}

// meterOf returns the meter of an evaluation. What is evaluated when an expression is compiled, such as int('1'), has a separate one.
func meterOf(variables interpreter.Activation) *meter {
	found, _ := variables.ResolveName(meterVariable)
	if spent, ok := found.(*meter); ok {
		return spent
	}
	return &meter{limit: costOfTarget}
}
