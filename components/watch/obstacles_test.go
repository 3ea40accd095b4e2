package watch_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/watch"
)

// blocked returns a field where a stranger is in the way of a rule, and a mark by which the end of events is seen.
func blocked(t *testing.T) *field {
	t.Helper()
	f := newField(t)
	f.create("stranger")
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")
	f.sources.Block(rule("a"), f.at("stranger"))
	return f
}

// untilMark returns who is woken until the mark is seen.
func (f *field) untilMark() []call {
	f.t.Helper()
	f.create("mark")
	woken := f.alarm.rings(f.t, rule("mark"))
	return woken[:len(woken)-1]
}

func TestObstacleThatChangesIsNoNews(t *testing.T) {
	f := blocked(t)
	f.merge("stranger", `{"data":{"color":"red"}}`)
	f.merge("stranger", `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"here/other"}}}`)
	assert.Empty(t, f.untilMark())
}

func TestEndOfAnObstacleWakes(t *testing.T) {
	f := blocked(t)
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestObstacleThatIsGivenToTheRuleWakes(t *testing.T) {
	f := blocked(t)
	mine := rule("a")
	mine.Namespace = f.namespace
	f.sources.Forget(rule("a"))
	f.follow(mine, configMaps, "settings")
	f.sources.Block(mine, f.at("stranger"))
	f.merge("stranger", `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"`+f.namespace+`/a"}}}`)
	assert.Equal(t, []call{{mine, watch.CopyChanged}}, f.untilMark())
}

func TestUnblocked(t *testing.T) {
	f := blocked(t)
	f.sources.Unblock(rule("a"), f.at("stranger"))
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestObstacleThatIsNotAskedForIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("a"), configMaps, "settings")
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestObstacleThatIsAskedForIsKept(t *testing.T) {
	f := blocked(t)
	for range 3 {
		f.follow(rule("a"), configMaps, "settings")
		require.NoError(t, f.sources.Verdict(rule("a"), f.at("stranger")), "nobody has looked yet")
	}
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestObstacleOfAnotherKindIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), secrets, "settings")
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestVerdictStandsUntilSomethingHappens(t *testing.T) {
	stranger := errors.New("a stranger")
	f := blocked(t)
	ask := func() error { return f.sources.Verdict(rule("a"), f.at("stranger")) }
	f.sources.Judge(rule("a"), f.at("stranger"), stranger)
	f.follow(rule("a"), configMaps, "settings")
	require.ErrorIs(t, ask(), stranger)
	f.follow(rule("a"), configMaps, "settings")
	require.ErrorIs(t, ask(), stranger, "as often as it is asked for")

	f.merge("stranger", `{"data":{"color":"red"}}`)
	f.untilMark()
	require.NoError(t, ask(), "an event undoes it")

	f.sources.Judge(rule("a"), f.at("stranger"), stranger)
	require.NoError(t, ask(), "what was seen before the event counts no more")

	f.sources.Block(rule("a"), f.at("stranger"))
	f.sources.Judge(rule("a"), f.at("stranger"), stranger)
	require.ErrorIs(t, ask(), stranger)
	f.sources.Unblock(rule("a"), f.at("stranger"))
	require.NoError(t, ask())
	f.sources.Judge(rule("a"), f.at("stranger"), stranger)
	require.NoError(t, ask(), "it is not waited for")
}

func TestForgetForgetsObstacles(t *testing.T) {
	f := blocked(t)
	f.sources.Forget(rule("a"))
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestRuleThatFollowsNothingHasNoObstacles(t *testing.T) {
	f := blocked(t)
	f.sources.Block(rule("unknown"), f.at("stranger"))
	f.sources.Unblock(rule("unknown"), f.at("stranger"))
	f.sources.Judge(rule("unknown"), f.at("stranger"), errors.New("a stranger"))
	require.NoError(t, f.sources.Verdict(rule("unknown"), f.at("stranger")))
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestObstacleThatIsASourceToo(t *testing.T) {
	f := blocked(t)
	f.follow(rule("b"), configMaps, "stranger")
	f.sources.Unblock(rule("a"), f.at("stranger"))
	f.merge("stranger", `{"data":{"color":"red"}}`)
	assert.Equal(t, []call{{rule("b"), watch.SourceChanged}}, f.untilMark())
}
