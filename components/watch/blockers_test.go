package watch_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

var errForeign = errors.New("a foreign object")

// blocked returns a field where a foreign object was found in the way of a rule, and a mark by which the end of events is seen.
func blocked(t *testing.T) *field {
	t.Helper()
	f := newField(t)
	blocker := f.create("blocker")
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")
	f.watchBlocker(rule("a"), configMaps, f.at("blocker"))
	f.blockers.SetFinding(rule("a"), configMaps, blocker, errForeign)
	return f
}

func (f *field) watchBlocker(rule watch.RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) {
	f.t.Helper()
	require.NoError(f.t, f.blockers.Watch(f.t.Context(), rule, kind, at))
}

func (f *field) finding() error { return f.blockers.Finding(rule("a"), configMaps, f.at("blocker")) }

// untilMark returns who is woken until the mark is seen.
func (f *field) untilMark() []call {
	f.t.Helper()
	f.create("mark")
	woken := f.alarm.rings(f.t, rule("mark"))
	return woken[:len(woken)-1]
}

func TestBlockerThatChangesEnqueuesNobody(t *testing.T) {
	f := blocked(t)
	f.merge("blocker", `{"data":{"color":"red"}}`)
	f.merge("blocker", `{"metadata":{"annotations":{"example.com/color":"red"},"labels":{"color":"red"}}}`)
	assert.Empty(t, f.untilMark())
	require.ErrorIs(t, f.finding(), errForeign, "nobody has to look again")
}

func TestBlockerThatGetsAnotherOwnerEnqueuesTheRule(t *testing.T) {
	tests := map[string]string{
		"it is given to a rule":                   `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"here/a"}}}`,
		"it is given to a rule of the other kind": `{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"a"}}}`,
		"it bears a rule's uid":                   `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"u"}}}`,
		"an empty mark is not none":               `{"metadata":{"annotations":{"projection.sh/owned-by-projection":""}}}`,
	}
	for name, patch := range tests {
		t.Run(name, func(t *testing.T) {
			f := blocked(t)
			f.merge("blocker", patch)
			f.merge("blocker", `{"data":{"color":"red"}}`)
			assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark(), "once")
			require.NoError(t, f.finding(), "it has to be looked at")
		})
	}
}

func TestBlockerThatIsBeingDeletedEnqueuesTheRule(t *testing.T) {
	f := newField(t)
	f.create("blocker")
	held := f.merge("blocker", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")
	f.watchBlocker(rule("a"), configMaps, f.at("blocker"))
	f.blockers.SetFinding(rule("a"), configMaps, held, errForeign)
	f.delete("blocker")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
	f.merge("blocker", `{"metadata":{"finalizers":null}}`)
}

func TestEndOfABlockerEnqueuesTheRule(t *testing.T) {
	f := blocked(t)
	f.delete("blocker")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestUnblocked(t *testing.T) {
	f := blocked(t)
	f.blockers.Unwatch(rule("a"), configMaps, f.at("blocker"))
	f.delete("blocker")
	assert.Empty(t, f.untilMark())
}

func TestBlockerThatIsNotAskedForIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), configMaps, "settings")
	f.blockers.Prune(rule("a"))
	f.delete("blocker")
	assert.Empty(t, f.untilMark())
}

func TestBlockerThatIsAskedForIsKept(t *testing.T) {
	f := blocked(t)
	for range 3 {
		f.follow(rule("a"), configMaps, "settings")
		require.ErrorIs(t, f.finding(), errForeign)
		f.blockers.Prune(rule("a"))
	}
	f.delete("blocker")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestReconcilesThatDoNotAskForgetNothing(t *testing.T) {
	f := blocked(t)
	for range 3 {
		f.follow(rule("a"), configMaps, "settings") // and the source cannot be read
	}
	require.ErrorIs(t, f.finding(), errForeign)
}

func TestBlockerOfAnotherKindIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), secrets, "settings")
	f.delete("blocker")
	assert.Empty(t, f.untilMark())
}

func TestFindingIsOfWhatIsWaitedFor(t *testing.T) {
	f := blocked(t)
	f.watchBlocker(rule("a"), configMaps, f.at("blocker"))
	require.NoError(t, f.finding(), "it is about to be looked at")
	f.blockers.Unwatch(rule("a"), configMaps, f.at("blocker"))
	f.blockers.SetFinding(rule("a"), configMaps, f.merge("blocker", `{}`), errForeign)
	require.NoError(t, f.finding())
}

func TestForgetForgetsBlockers(t *testing.T) {
	f := blocked(t)
	f.blockers.Forget(rule("a"))
	f.delete("blocker")
	assert.Empty(t, f.untilMark())
}

func TestRuleThatFollowsNothingHasNoBlockers(t *testing.T) {
	f := blocked(t)
	f.watchBlocker(rule("unknown"), configMaps, f.at("blocker"))
	f.blockers.Unwatch(rule("unknown"), configMaps, f.at("blocker"))
	f.blockers.SetFinding(rule("unknown"), configMaps, f.merge("blocker", `{}`), errForeign)
	f.blockers.Prune(rule("unknown"))
	require.NoError(t, f.blockers.Finding(rule("unknown"), configMaps, f.at("blocker")))
	f.delete("blocker")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestBlockerThatIsASourceToo(t *testing.T) {
	f := blocked(t)
	f.follow(rule("b"), configMaps, "blocker")
	f.blockers.Unwatch(rule("a"), configMaps, f.at("blocker"))
	f.merge("blocker", `{"data":{"color":"red"}}`)
	assert.Equal(t, []call{{rule("b"), watch.SourceChanged}}, f.untilMark())
}

// TestBlockerThatEndsUnseenEnqueuesTheRuleWhoseSourceIsOfAnotherKind interrupts the watch on ConfigMaps for so long that events are lost.
func TestBlockerThatEndsUnseenEnqueuesTheRuleWhoseSourceIsOfAnotherKind(t *testing.T) {
	f := newField(t)
	blocker := f.create("blocker")
	f.follow(rule("mark"), configMaps, "mark")
	for name, kind := range map[string]schema.GroupVersionResource{"a": secrets, "b": configMaps} {
		require.NoError(t, f.sources.Watch(t.Context(), rule(name), kind, f.at("settings")))
		f.blockers.Begin(rule(name), configMaps)
		f.watchBlocker(rule(name), configMaps, f.at("blocker"))
		f.blockers.SetFinding(rule(name), configMaps, blocker, errForeign)
	}

	f.tap.expire("configmaps")

	var enqueued []call
	require.Eventually(t, func() bool {
		enqueued = append(enqueued, f.alarm.take()...)
		return slices.Contains(enqueued, call{rule("a"), watch.CopyChanged})
	}, soon, tick)
	assert.NotContains(t, enqueued, call{rule("b"), watch.CopyChanged}, "its source enqueues it")
	require.NoError(t, f.finding(), "it has to be looked at")
}
