package crash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// serve runs a manager for a lane until the test ends, as a user of its own, and returns the user's name.
func serve(t *testing.T, lane, user string) (*manager.InProcess, string) {
	t.Helper()
	user = lane + "-" + user
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	operator := manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane })
	t.Cleanup(operator.Kill)
	return operator, user
}

// quiet waits until the user has read or listed the sources of each of so many rules, and has then made no request for a second. It returns the
// requests since the mark.
func quiet(t *testing.T, mark env.AuditMark, user string, rules int) []env.Request {
	t.Helper()
	var requests []env.Request
	require.Eventually(t, func() bool {
		before := len(requests)
		requests = fixture.RequestsSince(t, cluster, mark, user)
		sources := 0
		for _, request := range requests {
			if (request.Verb == "get" || request.Verb == "list") && request.Namespace != "" {
				sources++
			}
		}
		return sources >= rules && len(requests) == before
	}, timeout, time.Second)
	return requests
}

func isWrite(request env.Request) bool {
	return request.Verb != "get" && request.Verb != "list" && request.Verb != "watch"
}

// isFurtherPage reports whether the request continues a list: how many pages the namespaces of all stories fill depends on how many there are.
func isFurtherPage(request env.Request) bool {
	return request.Resource == "namespaces" && strings.Contains(request.URI, "continue=")
}

// restarted waits until the worlds are as they have to be, and has a second manager take the place of the first one, which makes no write. It
// returns the requests of the second one, and how many there are of each verb and resource.
func restarted(t *testing.T, lane string, first *manager.InProcess, all []*world) (requests []env.Request, verbs map[string]int) {
	t.Helper()
	for _, w := range all {
		w.settles()
	}
	require.NoError(t, first.Stop())
	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	requests, verbs = quiet(t, mark, user, len(all)), map[string]int{}
	requests = slices.DeleteFunc(requests, isFurtherPage)
	for _, request := range requests {
		assert.False(t, isWrite(request), "%s", request)
		verbs[fmt.Sprintf("%s %s", request.Verb, request.Resource)]++
	}
	return requests, verbs
}

func TestRestartInSyncCostsNoWriteAndFewReads(t *testing.T) {
	t.Parallel()
	const lane, rulesPerTier = "in-step", 10
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		for range rulesPerTier {
			w := newWorld(t, lane, tier)
			sourceAndRule(w)
			all = append(all, w)
		}
	}
	requests, verbs := restarted(t, lane, first, all)
	assert.Equal(t, len(all), verbs["get configmaps"], "one read of the source for each rule: %v", verbs)
	// Besides: ten for definitions, discovery and the version, and twelve to list and watch rules, namespaces, sources and copies.
	assert.LessOrEqual(t, len(requests), len(all)+22, "%v", verbs)
	for _, w := range all {
		assert.Empty(t, w.problems())
	}
}
