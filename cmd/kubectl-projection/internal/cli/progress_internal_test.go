package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

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
		"clusterprojection/ca: 1/2 copies up to date, a request failed, and is made again: overloaded": progress{
			UpToDate: new(int64(1)), Wanted: new(int64(2)), PerSecond: 3, SecondsLeft: new(int64(1)), Complete: true,
		}.unanswered(errors.New("overloaded")),
		"clusterprojection/ca: ?/? copies up to date, ? as the operator reports: you may not watch the copies": {Unknown: "you may not watch the copies"},
	} {
		seen.Rule = ruleName{Kind: "ClusterProjection", Name: "ca"}
		assert.Equal(t, want, seen.line())
	}
}

func TestWhyARuleWaits(t *testing.T) {
	observed := access.Rule{Object: &v1.ClusterProjection{}}
	isNew := access.Rule{Object: &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Generation: 2}}}
	some, all := progress{UpToDate: new(int64(1)), Wanted: new(int64(2))}, progress{UpToDate: new(int64(2)), Wanted: new(int64(2))}
	for want, test := range map[string]struct {
		rule access.Rule
		info ruleInfo
		seen progress
	}{
		"":                {isNew, ruleInfo{}, some},
		"RuleNotSelected": {observed, ruleInfo{NotServed: true, Suspended: true}, some},
		"Terminating":     {observed, ruleInfo{Deleted: true, Suspended: true}, some},
		"Suspended":       {isNew, ruleInfo{Suspended: true}, all},
		"RolloutHeld":     {observed, ruleInfo{Reason: v1.ReasonRolloutHeld}, some},
		"NotObserved":     {isNew, ruleInfo{}, all},
	} {
		reason, because := whyWaiting(test.rule, test.info, test.seen)
		assert.Equal(t, want, reason)
		assert.Equal(t, want == "", because == "", want)
	}
	reason, _ := whyWaiting(observed, ruleInfo{}, progress{})
	assert.Empty(t, reason, "the numbers are not known")
}

func TestWhatIsReadAgain(t *testing.T) {
	before := targets{generation: 1, wanted: 5000}
	last := asked{targets: before, sources: after(0), namespaces: after(0)}
	for name, test := range map[string]struct {
		asked               asked
		now                 targets
		second              int
		namespaces, sources bool
	}{
		"nothing was read":           {asked{}, before, 1, true, true},
		"nothing has changed":        {last, before, 1, false, false},
		"the rule has changed":       {last, targets{generation: 2, wanted: 5000}, 1, true, true},
		"there are more namespaces":  {last, targets{generation: 1, wanted: 5001}, 1, true, true},
		"sources may have changed":   {last, before, 5, false, true},
		"namespaces may have moved":  {last, before, 60, true, true},
		"the last request has ended": {asked{targets: before, namespaces: after(0)}, before, 1, false, true},
	} {
		namespaces, sources := test.asked.needs(test.now, after(test.second))
		assert.Equal(t, []bool{test.namespaces, test.sources}, []bool{namespaces, sources}, name)
	}
}

func TestProgressIsPrintedOnce(t *testing.T) {
	for format, want := range map[string][]string{"": {"1/2 copies", "2/2 copies"}, formatJSON: {`"complete": false`, `"complete": true`}} {
		var out bytes.Buffer
		printer := &progressPrinter{to: &out, out: &output{format: format}, line: newLiveLine(&out, nil)}
		for _, upToDate := range []int64{1, 1, 2, 2} {
			require.NoError(t, printer.print(progress{UpToDate: &upToDate, Wanted: new(int64(2)), Complete: upToDate == 2}))
		}
		for _, text := range want {
			assert.Equal(t, 1, strings.Count(out.String(), text), out.String())
		}
	}
}

func TestRowIsPrintedAgainIfItDiffers(t *testing.T) {
	for format, want := range map[string]int{"": 2, formatWide: 3} {
		var out bytes.Buffer
		o := &options{IOStreams: genericiooptions.IOStreams{Out: &out}, now: time.Now}
		rows := o.newTableRows(access.Settings{}, &output{format: format})
		for _, info := range []ruleInfo{
			{Name: "ca", Ready: "False"}, {Name: "ca", Ready: "False"}, {Name: "ca", Ready: "False", Message: "more"}, {Name: "ca", Ready: "True", Message: "more"},
		} {
			require.NoError(t, rows.print(news{changed: []ruleInfo{info}, hidden: []string{"projections"}}))
		}
		assert.Equal(t, want, strings.Count(out.String(), "/ca"), out.String())
		for _, once := range []string{"Operator: ", "NAMESPACE", "?: you may not list and watch projections"} {
			assert.Equal(t, 1, strings.Count(out.String(), once), once)
		}
	}
}

func TestRequestThatFailsIsPrintedOnceUntilItSucceeds(t *testing.T) {
	var out bytes.Buffer
	rows := (&options{IOStreams: genericiooptions.IOStreams{Out: &out}, now: time.Now}).newTableRows(access.Settings{}, &output{})
	failed := map[string]error{"projections": errors.New("overloaded")}
	for _, found := range []news{{failed: failed}, {failed: failed}, {}, {failed: failed}} {
		require.NoError(t, rows.print(found))
	}
	assert.Equal(t, 2, strings.Count(out.String(), "?: a request for projections failed, and is made again: overloaded\n"), out.String())
}

func TestRuleThatIsNoMoreInTheList(t *testing.T) {
	assert.Equal(t, "Deleted", newTableWatch(access.Settings{}, "").removed)
	info := removedRule(ruleInfo{Ready: "True", NotServed: true, Deleted: true}, newTableWatch(access.Settings{}, "team=web").removed)
	assert.Equal(t, "Deleted, or without the labels", info.reason())
	assert.Equal(t, "Unknown", info.Ready)
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
