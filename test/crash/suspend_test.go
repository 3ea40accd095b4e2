package crash_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// TestRestartWithSuspendedRulesCostsNoWrite changes what a suspended rule would copy while no operator runs. The next operator says so.
func TestRestartWithSuspendedRulesCostsNoWrite(t *testing.T) {
	t.Parallel()
	const lane = "suspended"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		suspendedAndEdited(w)
		all = append(all, w)
	}
	_, verbs := restarted(t, lane, first, all)
	assert.Equal(t, 2, verbs["get configmaps"], "one read of the source for each rule: %v", verbs)
	for _, w := range all {
		assert.Empty(t, w.problems())
	}
}

// withoutLabels is a patch that takes the label of the operator off a copy.
var withoutLabels = fmt.Sprintf(`{"metadata":{"labels":{%q:null,%q:null}}}`, v1.LabelOwnedByProjectionUID, v1.LabelOwnedByClusterProjectionUID)

// suspendedWithoutLabels returns worlds with a suspended rule, a copy of which has lost its label, and whose source has opted out since.
func suspendedWithoutLabels(t *testing.T, lane string) (all []*world) {
	t.Helper()
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		sourceAndRule(w)
		w.settles()
		w.suspend(true)
		w.settles()
		w.patch(w.object("ConfigMap", one, "settings"), withoutLabels)
		w.editSource(veto)
		w.settles()
		all = append(all, w)
	}
	return all
}

// TestSuspendedRuleFindsACopyWithoutItsLabelAfterARestart has a copy lose its label while the rule is suspended and its source is vetoed. The
// next operator has never seen the copy.
func TestSuspendedRuleFindsACopyWithoutItsLabelAfterARestart(t *testing.T) {
	t.Parallel()
	const lane = "suspended-unlabelled"
	first, _ := serve(t, lane, "first")
	all := suspendedWithoutLabels(t, lane)
	require.NoError(t, first.Stop())
	serve(t, lane, "second")
	for _, w := range all {
		w.settles()
		assert.Len(t, w.copies(one), 1, w.tier)
		if w.tier == v1.KindClusterProjection { // this copy was seen, and nothing was wanted there
			w.patch(w.object("ConfigMap", two, "settings"), withoutLabels)
			w.settles()
		}
		w.suspend(false)
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
		assert.Empty(t, w.copies(two), w.tier)
	}
}

// TestDeletionThatASuspensionHeldIsTriedAgain has the same happen to a copy whose deletion fails when the rule is resumed, until a third operator
// runs.
func TestDeletionThatASuspensionHeldIsTriedAgain(t *testing.T) {
	t.Parallel()
	const lane = "suspended-and-refused"
	first, _ := serve(t, lane, "first")
	all := suspendedWithoutLabels(t, lane)
	require.NoError(t, first.Stop())
	second, tries := serveWithoutDeletions(t, lane)
	for _, w := range all {
		w.settles()
		w.suspend(false)
		at := "/namespaces/" + w.name(one) + "/configmaps/settings"
		require.Eventually(t, func() bool { return tries(at) > 1 }, timeout, interval, "the deletion is tried again")
		require.Eventually(t, func() bool {
			return strings.Contains(w.says(v1.ConditionSourceResolved), "; some copies could not be removed")
		}, timeout, interval)
	}
	require.NoError(t, second.Stop())
	serve(t, lane, "third")
	for _, w := range all {
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
	}
}

// serveWithoutDeletions runs a manager whose deletions fail. The function tells how often it has tried to delete the object with the path.
func serveWithoutDeletions(t *testing.T, lane string) (operator *manager.InProcess, tries func(path string) int) {
	t.Helper()
	config, err := cluster.ConfigFor(lane+"-without-deletions", "system:masters")
	require.NoError(t, err)
	var mu sync.Mutex
	tried := map[string]int{}
	config = env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method != http.MethodDelete {
			return next.RoundTrip(request)
		}
		mu.Lock()
		defer mu.Unlock()
		tried[strings.TrimPrefix(request.URL.Path, "/api/v1")]++
		return nil, errors.New("no deletion gets through")
	})
	operator = manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane })
	t.Cleanup(operator.Kill)
	return operator, func(path string) int {
		mu.Lock()
		defer mu.Unlock()
		return tried[path]
	}
}

// TestCopyThatIsNotPermittedIsNotRetainedAfterASuspension has the owner of the source permit one of two namespaces any more, and delete the source
// while no operator runs. The next operator has seen neither.
func TestCopyThatIsNotPermittedIsNotRetainedAfterASuspension(t *testing.T) {
	t.Parallel()
	const lane = "suspended-and-retained"
	first, _ := serve(t, lane, "first")
	w := newWorld(t, lane, v1.KindClusterProjection)
	w.retaining(v1.RetainSourceGone)
	w.settles()
	w.suspend(true)
	w.settles()
	w.editSource(fmt.Sprintf(`{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name=%s"}}}`, w.name(two)))
	w.settles()
	w.editSource(`{"data":{"color":"blue"}}`)
	w.settles()
	require.NoError(t, first.Stop())
	w.remove(home)

	serve(t, lane, "second")
	w.settles()
	assert.Len(t, w.copies(one), 1)
	w.suspend(false)
	w.settles()
	assert.Empty(t, w.copies(one))
}

// TestWhatASuspendedRuleMissedWhileNoOperatorRan has its source vetoed, and its finalizer and its record of kinds taken off.
func TestWhatASuspendedRuleMissedWhileNoOperatorRan(t *testing.T) {
	t.Parallel()
	const lane = "suspended-and-vetoed"
	first, _ := serve(t, lane, "first")
	var all []*world
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		suspendedAndEdited(w)
		all = append(all, w)
	}
	for _, w := range all {
		w.settles()
	}
	require.NoError(t, first.Stop())
	for _, w := range all {
		w.editSource(veto)
		w.patch(w.rule("rule"), `{"metadata":{"finalizers":null,"annotations":null}}`)
	}

	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	for _, w := range all {
		w.settles()
		assert.Len(t, w.copies(one), 1, w.tier)
	}
	for _, request := range fixture.RequestsSince(t, cluster, mark, user) {
		changes := request.Verb == "patch" || request.Verb == "delete" || request.Verb == "create"
		assert.False(t, changes && request.Resource == "configmaps", request)
	}
	for _, w := range all {
		w.suspend(false)
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
	}
}
