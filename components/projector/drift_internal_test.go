package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/watch"
)

func TestEventsSayWhatWasUndone(t *testing.T) {
	repaired := func(namespace, manager string, action destination.Action) destination.Outcome {
		return destination.Outcome{Place: in(namespace), Action: action, Corrected: true, ChangedBy: manager}
	}
	const normal, updated, created = "Normal", destination.Updated, destination.Created
	tests := map[string]struct {
		outcomes []destination.Outcome
		events   []recorded
	}{
		"a change by a manager": {
			[]destination.Outcome{repaired("a", "kubectl-edit", updated)},
			[]recorded{{normal, "DriftCorrected", "Write", `undid what field manager "kubectl-edit" changed in the copy a/settings`, "ConfigMap a/settings"}},
		},
		"a change by somebody": {
			[]destination.Outcome{repaired("a", "", updated)},
			[]recorded{{normal, "DriftCorrected", "Write", "undid what somebody changed in the copy a/settings", "ConfigMap a/settings"}},
		},
		"a deletion": {
			[]destination.Outcome{repaired("a", "", created)},
			[]recorded{{normal, "DriftCorrected", "Write", "created the copy a/settings again, which somebody had deleted", "ConfigMap a/settings"}},
		},
		"deletions": {
			[]destination.Outcome{repaired("a", "", created), repaired("b", "", created)},
			[]recorded{{normal, "DriftCorrected", "Write", "created 2 copies again, which somebody had deleted", ""}},
		},
		"several managers, several times": {
			[]destination.Outcome{repaired("a", "z", updated), repaired("b", "c", updated), repaired("c", "z", updated), repaired("d", "", created)},
			[]recorded{{normal, "DriftCorrected", "Write", `undid what field managers "c", "z" changed in 4 copies`, ""}},
		},
		"more managers than a note names": {
			[]destination.Outcome{repaired("a", "1", updated), repaired("b", "2", updated), repaired("c", "3", updated), repaired("d", "4", updated)},
			[]recorded{{normal, "DriftCorrected", "Write", `undid what field managers "1", "2", "3" and 1 more changed in 4 copies`, ""}},
		},
		"a repair beside an update": {
			[]destination.Outcome{repaired("a", "z", updated), fine("b", updated)},
			[]recorded{
				{normal, "DriftCorrected", "Write", `undid what field manager "z" changed in the copy a/settings`, "ConfigMap a/settings"},
				{normal, "Updated", "Write", "updated the copy b/settings", "ConfigMap b/settings"},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.remember(ruleKey, watch.CopyChanged, now)
			p := b.scope(newRule())
			p.local.outcomes = test.outcomes
			p.emitWork()
			assert.Equal(t, test.events, b.recorder.take())
		})
	}
}

func TestReconcileIsDoneAgainWhenTheFirstBackoffEnds(t *testing.T) {
	tests := map[string]struct {
		pauses []time.Duration
		again  time.Duration
	}{
		"none":         {nil, 0},
		"all in sync":  {[]time.Duration{0, 0}, 0},
		"the earliest": {[]time.Duration{0, 9 * time.Second, 5 * time.Second, 7 * time.Second}, 5 * time.Second},
		"not too soon": {[]time.Duration{time.Minute, time.Millisecond}, time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t).scope(newRule())
			for _, pause := range test.pauses {
				p.local.outcomes = append(p.local.outcomes, destination.Outcome{RetryAfter: pause})
			}
			result, err := p.queueResult(nil)
			require.NoError(t, err)
			assert.Equal(t, test.again, result.RequeueAfter)
		})
	}
}
