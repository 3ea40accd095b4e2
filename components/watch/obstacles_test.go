package watch_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/watch"
)

var errStranger = errors.New("a stranger")

// blocked returns a field where a stranger was found in the way of a rule, and a mark by which the end of events is seen.
func blocked(t *testing.T) *field {
	t.Helper()
	f := newField(t)
	stranger := f.create("stranger")
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")
	f.sources.Block(rule("a"), configMaps, f.at("stranger"))
	f.sources.Judge(rule("a"), configMaps, stranger, errStranger)
	return f
}

func (f *field) verdict() error { return f.sources.Verdict(rule("a"), configMaps, f.at("stranger")) }

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
	f.merge("stranger", `{"metadata":{"annotations":{"example.com/color":"red"},"labels":{"color":"red"}}}`)
	assert.Empty(t, f.untilMark())
	require.ErrorIs(t, f.verdict(), errStranger, "nobody has to look again")
}

func TestObstacleThatChangesHandsIsNews(t *testing.T) {
	tests := map[string]string{
		"it is given to a rule":           `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"here/a"}}}`,
		"it is given to a rule of a tier": `{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"a"}}}`,
		"it bears a rule's uid":           `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"u"}}}`,
		"an empty mark is not none":       `{"metadata":{"annotations":{"projection.sh/owned-by-projection":""}}}`,
	}
	for name, patch := range tests {
		t.Run(name, func(t *testing.T) {
			f := blocked(t)
			f.merge("stranger", patch)
			f.merge("stranger", `{"data":{"color":"red"}}`)
			assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark(), "once")
			require.NoError(t, f.verdict(), "it has to be looked at")
		})
	}
}

func TestObstacleThatBeginsToEndIsNews(t *testing.T) {
	f := newField(t)
	f.create("stranger")
	held := f.merge("stranger", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	f.follow(rule("a"), configMaps, "settings")
	f.follow(rule("mark"), configMaps, "mark")
	f.sources.Block(rule("a"), configMaps, f.at("stranger"))
	f.sources.Judge(rule("a"), configMaps, held, errStranger)
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
	f.merge("stranger", `{"metadata":{"finalizers":null}}`)
}

func TestEndOfAnObstacleWakes(t *testing.T) {
	f := blocked(t)
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestUnblocked(t *testing.T) {
	f := blocked(t)
	f.sources.Unblock(rule("a"), configMaps, f.at("stranger"))
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestObstacleThatIsNotAskedForIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), configMaps, "settings")
	f.sources.Settle(rule("a"))
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestObstacleThatIsAskedForIsKept(t *testing.T) {
	f := blocked(t)
	for range 3 {
		f.follow(rule("a"), configMaps, "settings")
		require.ErrorIs(t, f.verdict(), errStranger)
		f.sources.Settle(rule("a"))
	}
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestPassesThatDoNotAskForgetNothing(t *testing.T) {
	f := blocked(t)
	for range 3 {
		f.follow(rule("a"), configMaps, "settings") // and the source cannot be read
	}
	require.ErrorIs(t, f.verdict(), errStranger)
}

func TestObstacleOfAnotherKindIsForgotten(t *testing.T) {
	f := blocked(t)
	f.follow(rule("a"), secrets, "settings")
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestVerdictIsOfWhatIsWaitedFor(t *testing.T) {
	f := blocked(t)
	f.sources.Block(rule("a"), configMaps, f.at("stranger"))
	require.NoError(t, f.verdict(), "it is about to be looked at")
	f.sources.Unblock(rule("a"), configMaps, f.at("stranger"))
	f.sources.Judge(rule("a"), configMaps, f.merge("stranger", `{}`), errStranger)
	require.NoError(t, f.verdict())
}

func TestForgetForgetsObstacles(t *testing.T) {
	f := blocked(t)
	f.sources.Forget(rule("a"))
	f.delete("stranger")
	assert.Empty(t, f.untilMark())
}

func TestRuleThatFollowsNothingHasNoObstacles(t *testing.T) {
	f := blocked(t)
	f.sources.Block(rule("unknown"), configMaps, f.at("stranger"))
	f.sources.Unblock(rule("unknown"), configMaps, f.at("stranger"))
	f.sources.Judge(rule("unknown"), configMaps, f.merge("stranger", `{}`), errStranger)
	f.sources.Settle(rule("unknown"))
	require.NoError(t, f.sources.Verdict(rule("unknown"), configMaps, f.at("stranger")))
	f.delete("stranger")
	assert.Equal(t, []call{{rule("a"), watch.CopyChanged}}, f.untilMark())
}

func TestObstacleThatIsASourceToo(t *testing.T) {
	f := blocked(t)
	f.follow(rule("b"), configMaps, "stranger")
	f.sources.Unblock(rule("a"), configMaps, f.at("stranger"))
	f.merge("stranger", `{"data":{"color":"red"}}`)
	assert.Equal(t, []call{{rule("b"), watch.SourceChanged}}, f.untilMark())
}
