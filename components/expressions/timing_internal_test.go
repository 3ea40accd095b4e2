package expressions

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowClock goes on by a step whenever somebody looks at it.
type slowClock struct {
	at   time.Time
	step time.Duration
}

func (c *slowClock) now() time.Time {
	c.at = c.at.Add(c.step)
	return c.at
}

func valuesOf(t *testing.T, timing Timing, texts ...string) (*Values, error) {
	t.Helper()
	var fields []Field
	for _, text := range texts {
		fields = append(fields, Field{Path: "spec." + text, Expression: text})
	}
	compiled, err := CompileFields("tenant", fields)
	require.NoError(t, err)
	return compiled.Evaluate(Source{Object: map[string]any{"list": []any{int64(1), int64(2), int64(3)}}}, timing)
}

func requireOvertime(t *testing.T, err error) {
	t.Helper()
	failed, ok := errors.AsType[*EvaluationError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, Overtime, failed.Cause)
	assert.Equal(t, "took too long", failed.Detail)
	assert.False(t, IsPutOff(err), "it takes too long again")
}

// All expressions of a source, and all of a target, have one limit of time together. Also loops that go on behind errors end.
func TestExpressionsThatTakeTooLong(t *testing.T) {
	fast, slow := Timing{Now: (&slowClock{step: time.Millisecond}).now}, Timing{Now: (&slowClock{step: maxTime}).now}
	for _, text := range []string{"source.list.map(i, i + 1)", "source.list.all(i, i > 0)", "source.list.exists(i, i == 7)", "source.list[0] == 1"} {
		_, err := valuesOf(t, fast, text)
		require.NoError(t, err, text)
		_, err = valuesOf(t, slow, text)
		requireOvertime(t, err)
	}
	values, err := valuesOf(t, Timing{Now: (&slowClock{step: maxTime / 4}).now}, "target.name", "target.labels")
	require.NoError(t, err)
	_, err = values.Of(Target{})
	require.NoError(t, err)
	values, err = valuesOf(t, Timing{Now: (&slowClock{step: maxTime / 4}).now}, "target.name", "target.labels", "target.annotations", "target.name")
	require.NoError(t, err)
	_, err = values.Of(Target{})
	requireOvertime(t, err)
}

// A reconcile has a limit, too: the targets that it has no time for come in the next one.
func TestReconcileHasALimitOfTime(t *testing.T) {
	values, err := valuesOf(t, Timing{Now: (&slowClock{step: maxTime / 4}).now}, "target.name")
	require.NoError(t, err)
	evaluated := 0
	for ; err == nil; evaluated++ {
		_, err = values.Of(Target{})
	}
	require.True(t, IsPutOff(err), "%v", err)
	assert.InDelta(t, 2*maxTimeOfReconcile/maxTime, evaluated, 1, "each takes half of the time that a target has")
}

func TestEvaluationsAreObserved(t *testing.T) {
	var given []bool
	timing := Timing{Now: (&slowClock{step: time.Millisecond}).now, Observe: func(took time.Duration, ok bool) {
		assert.Positive(t, took)
		given = append(given, ok)
	}}
	values, err := valuesOf(t, timing, "source.list", "target.name")
	require.NoError(t, err)
	for range 2 {
		_, err = values.Of(Target{})
		require.NoError(t, err)
	}
	_, err = valuesOf(t, timing, "source.none")
	require.Error(t, err)
	assert.Equal(t, []bool{true, true, true, false}, given)
	given = nil
	_, err = valuesOf(t, timing, "target.name")
	require.NoError(t, err)
	assert.Empty(t, given, "nothing is the same for all targets")
}
