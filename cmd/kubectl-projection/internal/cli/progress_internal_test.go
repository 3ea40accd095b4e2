package cli

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

var start = time.Unix(1770000000, 0)

func after(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func TestPaceIsThatOfLate(t *testing.T) {
	var measured pace
	assert.Zero(t, measured.perSecond())
	assert.Nil(t, measured.rest(5), "nothing is known yet")
	measured.add(after(0), 0)
	measured.add(after(1), 1000)
	assert.InDelta(t, 1000, measured.perSecond(), 0)
	for second := 2; second <= 30; second++ {
		measured.add(after(second), 1000+10*second)
	}
	assert.InDelta(t, 10, measured.perSecond(), 0.01, "the beginning does not count")
	assert.Equal(t, int64(51), *measured.rest(505), "rounded up")
	assert.Nil(t, measured.rest(0), "there is no rest")

	measured.add(after(31), 3)
	assert.Zero(t, measured.perSecond(), "other content is counted")
}

func TestProgressIsALine(t *testing.T) {
	for want, seen := range map[string]progress{
		"clusterprojection/ca: 1874/5000 copies up to date, 412/s, about 8s left, 3 failed: 2 DestinationConflict, 1 DestinationCreateFailed": {
			UpToDate: new(int64(1874)), Wanted: new(int64(5000)), PerSecond: 411.5, SecondsLeft: new(int64(8)), Failed: 3,
			Reasons: []string{"2 DestinationConflict", "1 DestinationCreateFailed"},
		},
		"clusterprojection/ca: 5000/5000 copies up to date": {
			UpToDate: new(int64(5000)), Wanted: new(int64(5000)), PerSecond: 411.5, SecondsLeft: new(int64(1)), Complete: true,
		},
		"clusterprojection/ca: ?/? copies up to date, ? as the operator reports: you may not watch the copies": {Unknown: "you may not watch the copies"},
	} {
		seen.Rule = ruleName{Kind: "ClusterProjection", Name: "ca"}
		assert.Equal(t, want, seen.line())
	}
}

func TestRuleThatSkipsIsCompleteOnlyWithItsCopies(t *testing.T) {
	rule := access.Rule{Object: &v1.ClusterProjection{}}
	ready := ruleInfo{Ready: "True", Wanted: new(int32(3))}
	assert.False(t, doesWithout(rule, ready, 3), "it wants a copy in each place")
	rule.Spec.Policy.OnConflict = v1.ConflictSkip
	assert.True(t, doesWithout(rule, ready, 3))
	assert.False(t, doesWithout(rule, ready, 2), "the rule was ready before its source was changed")
	assert.False(t, doesWithout(rule, ruleInfo{Ready: "False", Wanted: new(int32(3))}, 3))
}

func TestLineOfATerminalIsWrittenAgainInItsPlace(t *testing.T) {
	var raw bytes.Buffer
	line := newLiveLine(&printable{to: &raw}, &terminal{&raw, func() int { return 12 }})
	for _, text := range []string{"a long text of a line", "short\x1b", "7"} {
		require.NoError(t, line.set(text))
	}
	require.NoError(t, line.end())
	require.NoError(t, line.end(), "once")
	assert.Equal(t, "\ra long tex…\rshort\ufffd     \r7     \n", raw.String())

	raw.Reset()
	line = newLiveLine(&raw, nil)
	require.NoError(t, line.set("a"))
	require.NoError(t, line.set("b"))
	require.NoError(t, line.end())
	assert.Equal(t, "a\nb\n", raw.String(), "elsewhere, each text is a line")
	assert.Nil(t, terminalOf(io.Discard))
}
