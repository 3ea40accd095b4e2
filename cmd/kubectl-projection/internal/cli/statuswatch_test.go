package cli_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStatusOfARule(t *testing.T) {
	golden(t, "status-rule",
		"status cproj/ca",
		"status cproj/ca -o name",
		"status cproj/ca --watch",
		"status cproj ca --watch -o json",
		"status cproj/dashboards -w",
		"status cproj/merged -w",
		"status proj/app-config -n tenant-a -w --as=tenant",
		"status cproj/nothing -w",
		"status cproj/ca -A",
		"status --timeout=1s",
		"status -w -o json",
		"status cproj/ca -w -o yaml",
	)
}

func TestWatchOfARuleGoesOnWhileItsCopiesAreNotUpToDate(t *testing.T) {
	tests := map[string]struct {
		args []string
		line string
	}{
		"a copy that fails":          {[]string{"cproj/base"}, "clusterprojection/base: 2/3 copies up to date, 1 failed: DestinationConflict"},
		"a rule that is suspended":   {[]string{"cproj/paused"}, "clusterprojection/paused: 0/1 copies up to date"},
		"a source that is not there": {[]string{"proj/gone", "-n", "tenant-a"}, "projection/gone: 0/0 copies up to date, SourceNotFound: there is no ConfigMap platform/gone"},
		"a missing consent":          {[]string{"proj/ca", "-n", "tenant-a"}, "projection/ca: 0/1 copies up to date, 1 failed: DestinationNotPermitted"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			printed, code := follow(ctx, t, append([]string{"status", "--watch"}, test.args...)...)
			assert.Equal(t, test.line, awaitLine(t, printed, "up to date"))
			interrupt()
			awaitLine(t, printed, "error: interrupted before all copies of the ")
			assert.Equal(t, 2, ended(printed, code))
		})
	}
}

func TestWatchOfARuleEndsAfterATime(t *testing.T) {
	printed, code := follow(t.Context(), t, "status", "cproj/paused", "--watch", "--timeout=5s")
	awaitLine(t, printed, "error: not all copies of the ClusterProjection paused were up to date within 5s")
	assert.Equal(t, 2, ended(printed, code))
}

// switched creates a rule with one copy, in the namespace legacy.
func switched(t *testing.T) (rule string) {
	t.Helper()
	rule = "clusterprojection/switched"
	kubectl(t, "create", "-f", "testdata/switched.yaml")
	t.Cleanup(func() {
		printed, err := cluster.Kubectl(context.WithoutCancel(t.Context()), "delete", "--ignore-not-found", rule)
		assert.NoError(t, err, printed)
	})
	kubectl(t, "wait", "--for=condition=Ready", rule)
	return rule
}

func TestWatchOfARuleEndsWhenItsCopiesAreUpToDate(t *testing.T) {
	rule := switched(t)
	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)

	printed, code := follow(t.Context(), t, "status", rule, "--watch")

	awaitLine(t, printed, "clusterprojection/switched: 0/1 copies up to date")
	run(t, "resume", rule)
	awaitLine(t, printed, "clusterprojection/switched: 1/1 copies up to date")
	assert.Zero(t, ended(printed, code))
	assert.Contains(t, kubectl(t, "get", "configmap/switched-config", "-n", "legacy", "-o", "yaml"), "tier: web")
}

func TestWatchOfARuleThatIsDeletedEnds(t *testing.T) {
	rule := switched(t)
	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	printed, code := follow(t.Context(), t, "status", rule, "--watch")
	awaitLine(t, printed, "0/1 copies up to date")

	kubectl(t, "delete", rule)

	awaitLine(t, printed, "error: the ClusterProjection switched was deleted")
	assert.Equal(t, 2, ended(printed, code))
}

func TestWatchOfRulesPrintsThoseThatChange(t *testing.T) {
	rule := switched(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, code := follow(ctx, t, "status", "--watch")
	awaitLine(t, printed, "NAMESPACE   RULE")
	first := awaitLine(t, printed, rule)
	assert.Contains(t, first, "True    Projected")

	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	again := awaitLine(t, printed, "Suspended")
	assert.Contains(t, again, rule)
	assert.NotContains(t, again, "NAMESPACE")
	kubectl(t, "delete", rule)
	awaitLine(t, printed, "Deleted")

	stop()
	for printed.Scan() { // until it has ended
		require.NotContains(t, printed.Text(), "error:")
	}
	assert.Zero(t, <-code)
}
