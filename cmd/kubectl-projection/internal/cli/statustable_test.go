package cli_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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

func TestWatchOfRulesWithALabel(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, code := follow(ctx, t, "status", "--watch", "-l", "tier=web")
	awaitLine(t, printed, "Operator: ")
	rule := switched(t)

	kubectl(t, "label", rule, "tier=web")
	awaitLine(t, printed, "NAMESPACE   RULE")
	awaitLine(t, printed, rule)
	kubectl(t, "label", rule, "tier-")
	assert.Contains(t, awaitLine(t, printed, rule), "Deleted, or without the labels")

	stop()
	assert.Zero(t, ended(printed, code))
}

func TestWatchOfRulesSaysOnceWhatMayNotBeListed(t *testing.T) {
	const rule = "projection/watched"
	create(t, "testdata/watched.yaml")
	kubectl(t, "wait", "--for=condition=Ready", "-n", "legacy", rule)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, code := follow(ctx, t, "status", "--watch", "--as=watcher", "-n", "legacy")
	awaitLine(t, printed, rule)
	awaitLine(t, printed, "?: you may not list and watch clusterprojections")

	kubectl(t, "patch", rule, "-n", "legacy", "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	for isPrinted := false; !isPrinted && assert.True(t, printed.Scan()); isPrinted = strings.Contains(printed.Text(), "Suspended") {
		assert.Contains(t, printed.Text(), rule, "neither the header nor what may not be listed is printed again")
	}

	stop()
	assert.Zero(t, ended(printed, code))
}

func TestWatchOfRulesSaysThatARequestFails(t *testing.T) {
	var asked atomic.Int32
	server := proxied(t, func(request *http.Request) bool {
		return strings.HasSuffix(request.URL.Path, "/clusterprojections") && asked.Add(1) == 1
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, code := follow(ctx, t, "status", "--watch", "--server="+server)
	awaitLine(t, printed, "?: a request for clusterprojections failed, and is made again: ")
	awaitLine(t, printed, "clusterprojection/ca")
	stop()
	assert.Zero(t, ended(printed, code))
}

func TestWatchOfRulesEndsForWhomMayListNone(t *testing.T) {
	for _, headers := range []string{"--no-headers", "--no-headers=false"} {
		printed, code := run(t, "status", "--watch", "-n", "tenant-a", "--as=nobody", headers)
		assert.Equal(t, 2, strings.Count(printed, "?: you may not list and watch "), printed)
		assert.Zero(t, code)
	}
}
