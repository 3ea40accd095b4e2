package crash_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/oracle"
)

// narrowed permits no namespace that there is.
const narrowed = `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: group=nowhere"}}}`

// TestOptOutReachesACopyWithoutItsLabel has a copy lose its label, and its source opted out for all namespaces or for some, while no operator runs.
func TestOptOutReachesACopyWithoutItsLabel(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled"
	first, _ := serve(t, lane, "first")
	all := map[*world]string{}
	for _, tier := range bothTiers {
		for _, consent := range []string{veto, narrowed} {
			w := newWorld(t, lane, tier)
			sourceAndRule(w)
			w.settles()
			all[w] = consent
		}
	}
	require.NoError(t, first.Stop())
	for w, consent := range all {
		w.patch(w.object("ConfigMap", one, "settings"), withoutLabels)
		w.editSource(consent)
	}
	serve(t, lane, "second")
	for w, consent := range all {
		w.settles()
		assert.Empty(t, w.copies(one), "%s: %s", w.tier, consent)
	}
}

// TestOptOutReachesACopyWithoutItsLabelAfterAReadThatFailed has the first read of the next operator fail: that of the source, or that of the copy which
// has lost its label.
func TestOptOutReachesACopyWithoutItsLabelAfterAReadThatFailed(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled-unread"
	first, _ := serve(t, lane, "first")
	all, fails := map[*world]string{}, map[string]bool{}
	for _, tier := range bothTiers {
		for _, consent := range []string{veto, narrowed} {
			for _, role := range []string{home, one} {
				w := newWorld(t, lane, tier)
				sourceAndRule(w)
				w.settles()
				all[w], fails[w.readOf(role)] = consent, true
			}
		}
	}
	require.NoError(t, first.Stop())
	for w, consent := range all {
		w.patch(w.object("ConfigMap", one, "settings"), withoutLabels)
		w.editSource(consent)
	}
	left := serveFailing(t, lane, fails)
	for w, consent := range all {
		w.settles()
		assert.Empty(t, w.copies(one), "%s: %s", w.tier, consent)
	}
	assert.Empty(t, left(), "these reads have not been made")
}

// TestOptOutReachesACopyWithoutItsLabelAfterItsRecordCouldNotBeEnded has the next operator fail to end the record of consent at first: whether there are
// copies is not known then.
func TestOptOutReachesACopyWithoutItsLabelAfterItsRecordCouldNotBeEnded(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled-unrecorded"
	first, _ := serve(t, lane, "first")
	paths := map[string]string{v1.KindProjection: "namespaces/%[1]s/projections/%[2]s", v1.KindClusterProjection: "clusterprojections/%[2]s"}
	var all []*world
	fails := map[string]bool{}
	for _, tier := range bothTiers {
		w := newWorld(t, lane, tier)
		w.retaining(v1.RetainSourceGone)
		w.settles()
		all = append(all, w)
		fails["PATCH /apis/projection.sh/v1/"+fmt.Sprintf(paths[tier], w.name(one), w.name("rule"))] = true
	}
	require.NoError(t, first.Stop())
	for _, w := range all {
		w.patch(w.object("ConfigMap", one, "settings"), withoutLabels)
		w.editSource(veto)
	}
	left := serveFailing(t, lane, fails)
	for _, w := range all {
		w.settles()
		assert.Empty(t, w.copies(one), w.tier)
	}
	assert.Empty(t, left(), "these requests have not been made")
}

// readOf is the path of a read of the ConfigMap in the namespace.
func (w *world) readOf(role string) string {
	return "GET /api/v1/namespaces/" + w.name(role) + "/configmaps/settings"
}

// serveFailing runs a manager whose first requests of these methods and paths get no answer. The function returns those that it has not made yet.
func serveFailing(t *testing.T, lane string, paths map[string]bool) (left func() []string) {
	t.Helper()
	config, err := cluster.ConfigFor(lane+"-failing", "system:masters")
	require.NoError(t, err)
	var mu sync.Mutex
	config = env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		mu.Lock()
		method := request.Method + " " + request.URL.Path
		fails := request.URL.Query().Get("watch") == "" && paths[method]
		if fails {
			delete(paths, method)
		}
		mu.Unlock()
		if fails {
			return nil, errors.New("the first request does not get through")
		}
		return next.RoundTrip(request)
	})
	t.Cleanup(manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane }).Kill)
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Collect(maps.Keys(paths))
	}
}

// TestConsentReachesACopyWithoutItsLabelOfASelectedSource has the copy of one of two selected sources lose its label while no operator runs. Then its
// owner begins to permit some namespaces only; or the source, whose copy the rule had kept when it was deleted, is created again and opted out.
func TestConsentReachesACopyWithoutItsLabelOfASelectedSource(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled-selected"
	first, _ := serve(t, lane, "first")
	limits, keeps := newWorld(t, lane, v1.KindClusterProjection), newWorld(t, lane, v1.KindClusterProjection)
	for _, w := range []*world{limits, keeps} {
		selecting(w)
		w.settles()
	}
	keeps.patch(keeps.rule("rule"), `{"spec":{"policy":{"retain":["SourceGone"]}}}`)
	keeps.settles()
	keeps.Delete(keeps.object("ConfigMap", home, "a"))
	rule := keeps.rule("rule")
	keeps.Eventually(rule, func() bool {
		err := keeps.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule)
		return err == nil && strings.Contains(fmt.Sprint(rule.Object["status"]), "are kept, as spec.policy.retain asks")
	}, "the copies of a source that was deleted are not kept")
	require.NoError(t, first.Stop())
	for _, w := range []*world{limits, keeps} {
		w.patch(w.copyOf("a"), withoutLabels)
	}
	limits.editShared("a", narrowed)
	keeps.share("a")
	keeps.editShared("a", veto)
	serve(t, lane, "second")
	limits.Gone(limits.copyOf("a"))
	keeps.Gone(keeps.copyOf("a"))
}

// TestRestartKeepsTheCopyOfTheFirstOfTwoSourcesWithOneName starts an operator for a rule whose expression gives one name to two sources. Of the second,
// no copy is known; that of the first is not taken for it.
func TestRestartKeepsTheCopyOfTheFirstOfTwoSourcesWithOneName(t *testing.T) {
	t.Parallel()
	const lane = "unlabelled-names"
	first, _ := serve(t, lane, "first")
	w := newWorld(t, lane, v1.KindProjection)
	selecting(w)
	w.nameBy(oracle.NameByColor)
	for _, source := range []string{"a", "b"} {
		w.editShared(source, `{"metadata":{"labels":{"color":"red"}}}`)
	}
	w.settles()
	before := w.copies(one)
	require.Len(t, before, 1)
	require.NoError(t, first.Stop())
	serve(t, lane, "second")
	w.patch(w.rule("rule"), `{"spec":{"overlay":{"labels":{"again":"yes"}}}}`)
	w.settles()
	after := w.copies(one)
	require.Len(t, after, 1)
	assert.Equal(t, before[0].GetUID(), after[0].GetUID(), "the copy was deleted, and created again")
}
