package plan_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
)

func TestTargetsThatTheOwnerPermits(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-namespaces")
	rule := newSource(t, "namespaces: team=shop")
	known := map[string]map[string]string{"in": {"team": "shop"}, "out": {"team": "other"}, "ending": nil, "also-out": nil}
	planner.NamespaceLabels = func(_ context.Context, name string) (map[string]string, bool, error) {
		labels, found := known[name]
		return labels, found, nil
	}
	const (
		refusal = "the owner of the source permits copies only in namespaces that match team=shop; ask the owner to permit this namespace, or an administrator to label it"
		unknown = "the labels of the namespace are not known yet, and the owner of the source permits copies by labels; the copy follows when they are known"
	)
	tests := map[string]struct {
		targets, want []plan.Target
		skipped       int
	}{
		"selected": {
			[]plan.Target{{Namespace: "also-out", Selected: true}, {Namespace: "in", Selected: true, Version: "7"}, {Namespace: "out", Selected: true}},
			[]plan.Target{{Namespace: "in", Selected: true, Version: "7"}}, 2,
		},
		"listed": {
			[]plan.Target{{Namespace: "in"}, {Namespace: "missing", Blocked: "missing"}, {Namespace: "ending", Blocked: "ending"}, {Namespace: "out"}},
			[]plan.Target{
				{Namespace: "in"}, {Namespace: "missing", Blocked: "missing"}, {Namespace: "ending", Blocked: "ending"},
				{Namespace: "out", NotPermitted: refusal},
			}, 0,
		},
		"not known": {[]plan.Target{{Namespace: "new"}}, []plan.Target{{Namespace: "new", Blocked: unknown}}, 0},
	}
	for name, test := range tests {
		planner.Targets = func(context.Context, *v1.Projection) ([]plan.Target, error) { return test.targets, nil }
		planned, err := planner.Make(t.Context(), rule, read)
		require.NoError(t, err, name)
		for i := range planned.Targets {
			require.NotNil(t, planned.Targets[i].Renderer, name)
			assert.Equal(t, rule.GetDestinationName(), planned.Targets[i].Name, name)
			planned.Targets[i].Renderer, planned.Targets[i].Name = nil, ""
		}
		assert.Equal(t, test.want, planned.Targets, name)
		assert.Equal(t, test.skipped, planned.Skipped, name)
	}

	planner.NamespaceLabels = func(context.Context, string) (map[string]string, bool, error) {
		return nil, false, errors.New("the cache is closed")
	}
	_, err := planner.Make(t.Context(), rule, read)
	var stopped *plan.Error
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, v1.ReasonNamespaceResolutionFailed, stopped.Reason, "what is not known makes no plan smaller")
}

func TestLabelsOfNamespacesAreAskedForOnlyIfPermissionsDependOnThem(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-all-namespaces")
	rule := newSource(t, "true")
	planner.NamespaceLabels = func(context.Context, string) (map[string]string, bool, error) {
		assert.Fail(t, "no label is needed")
		return nil, false, nil
	}
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Len(t, planned.Targets, 1)
}
