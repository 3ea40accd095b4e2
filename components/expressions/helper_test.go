package expressions_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

// tenant is the target of most tests.
var tenant = expressions.Target{
	Name:        "tenant-a",
	Labels:      map[string]string{"team": "a", "tier": "large", "replicas": "3"},
	Annotations: map[string]string{"contact": "a@example.com"},
}

// still is a clock that stands still: what ends an expression is its cost, however busy the machine is.
var still = expressions.Timing{Now: func() time.Time { return time.Unix(0, 0) }}

// evaluate returns the value of one expression at a path for a source and a target, and whether there is one.
func evaluate(field expressions.Field, source expressions.Source, target expressions.Target) (any, bool, error) {
	fields, err := expressions.CompileFields("tenant", []expressions.Field{field})
	if err != nil {
		return nil, false, err
	}
	values, err := fields.Evaluate(source, still)
	if err != nil {
		return nil, false, err
	}
	of, err := values.Of(target)
	if err != nil || len(of) == 0 {
		return nil, false, err
	}
	return of[0].Value, true, nil
}

func requireCause(t *testing.T, cause expressions.Cause, err error) {
	t.Helper()
	failed, ok := errors.AsType[*expressions.EvaluationError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, cause, failed.Cause, "%v", err)
}
