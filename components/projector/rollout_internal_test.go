package projector

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/rollout"
)

// rollsOut returns the scope of a rule with a rollout of so many waves that has come to the outcomes. Those that are held are staged.
func (f *fixture) rollsOut(before *v1.RolloutStatus, waves int, turn rollout.Turn, outcomes ...destination.Outcome) *scope[*v1.ClusterProjection] {
	f.adapter.Rollout = RolloutAdapter[*v1.ClusterProjection]{
		WaveOf:     func(context.Context, *v1.ClusterProjection) func(string) int { return func(string) int { return 0 } },
		Status:     func(rule *v1.ClusterProjection) **v1.RolloutStatus { return &rule.Status.Rollout },
		IsProgress: func(_, _ *v1.ClusterProjection) bool { return true },
	}
	rule := newRule()
	rule.Spec.Rollout = &v1.Rollout{Waves: make([]v1.Wave, waves)}
	rule.Status.Rollout = before
	p := f.scope(rule)
	p.local.outcomes, p.local.turn = outcomes, &turn
	p.local.staged = staging{waits: true, failed: slices.IndexFunc(outcomes, destination.Outcome.Failed), copies: map[int]destination.DesiredCopy{}}
	for i, outcome := range outcomes {
		if isHeld(outcome) {
			p.local.staged.copies[i] = destination.DesiredCopy{}
		}
	}
	return p
}

func TestWhatARolloutReports(t *testing.T) {
	waits := wouldBe("b", destination.Updated)
	no := refusedCopy("a")
	tests := map[string]struct {
		waves            int
		turn             rollout.Turn
		outcomes         []destination.Outcome
		reason, written  string
		stalled, counted bool
	}{
		"copies wait": {
			2, rollout.Turn{Wave: 1}, []destination.Outcome{fine("a", ""), waits}, v1.ReasonRolloutInProgress, "wave 2 of 3: 1 of 2 copies have the present content", false, false,
		},
		"copies wait, without waves": {
			0, rollout.Turn{}, []destination.Outcome{fine("a", ""), waits}, v1.ReasonRolloutInProgress, "1 of 2 copies have the present content", false, false,
		},
		"one is refused, and may be": {
			2, rollout.Turn{Failed: 1, Allowed: 1}, []destination.Outcome{no, waits}, refusal,
			"1 of 2 copies failed: ConfigMap a/settings: no; wave 1 of 3: 0 of 2 copies have the present content", true, true,
		},
		"it is held": {
			2, rollout.Turn{Held: true, Failed: 1, Size: 2}, []destination.Outcome{no, waits}, v1.ReasonRolloutHeld,
			"held in wave 1 of 3: 1 of 2 copies failed, and 0 may; 1 copy waits: ConfigMap a/settings: no", true, true,
		},
		"no copy waits": {
			2, rollout.Turn{Done: true}, []destination.Outcome{fine("a", ""), fine("b", "")}, v1.ReasonProjected, "all 2 copies are in sync with their source", false, true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.rollsOut(nil, test.waves, test.turn, test.outcomes...)
			reported := p.conditions(nil)
			assert.Equal(t, test.reason, reported.written.Reason)
			assert.Equal(t, test.written, reported.written.Message)
			assert.Equal(t, test.stalled, reported.stalled)
			p.recordMetrics(reported)
			assert.Equal(t, test.counted, counted(t, f), "the reconcile after one in progress has the result")
		})
	}
}

// TestEventsOfARollout has one event at its end, and none for each copy.
func TestEventsOfARollout(t *testing.T) {
	waits, changed := wouldBe("b", destination.Updated), fine("a", destination.Updated)
	sick := failed("b", v1.ReasonDestinationNotHealthy, "no")
	tests := map[string]struct {
		before   *v1.RolloutStatus
		turn     rollout.Turn
		outcomes []destination.Outcome
		staged   []int
		want     []string
	}{
		"it begins":          {nil, rollout.Turn{}, []destination.Outcome{changed, waits}, []int{0}, nil},
		"a copy was drifted": {nil, rollout.Turn{}, []destination.Outcome{changed, waits}, nil, []string{v1.ReasonUpdated}},
		"it goes on":         {&v1.RolloutStatus{Wave: 1}, rollout.Turn{}, []destination.Outcome{changed, waits}, []int{0}, nil},
		"it ends": {
			&v1.RolloutStatus{Wave: 1}, rollout.Turn{Done: true, Finished: true}, []destination.Outcome{changed, fine("b", "")}, []int{0},
			[]string{v1.ReasonRolloutCompleted},
		},
		"the last copy misses its deadline": {
			&v1.RolloutStatus{Wave: 1}, rollout.Turn{Done: true}, []destination.Outcome{changed, sick}, nil, []string{v1.ReasonUpdated, v1.ReasonDestinationNotHealthy},
		},
		"the last copy misses its deadline, and may": {
			&v1.RolloutStatus{Wave: 1}, rollout.Turn{Done: true, Finished: true}, []destination.Outcome{changed, sick}, []int{0},
			[]string{v1.ReasonRolloutCompleted, v1.ReasonDestinationNotHealthy},
		},
		"the last copy is refused": {
			&v1.RolloutStatus{Wave: 1}, rollout.Turn{Done: true}, []destination.Outcome{changed, refusedCopy("b")}, []int{0}, []string{refusal},
		},
		"it ends at once": {&v1.RolloutStatus{}, rollout.Turn{}, []destination.Outcome{changed, fine("b", "")}, []int{0}, []string{v1.ReasonUpdated}},
		"it is held": {
			&v1.RolloutStatus{Wave: 1}, rollout.Turn{Held: true}, []destination.Outcome{refusedCopy("a"), waits}, []int{0}, []string{v1.ReasonRolloutHeld, refusal},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.rollsOut(test.before, 2, test.turn, test.outcomes...)
			for _, i := range test.staged {
				p.local.staged.copies[i] = destination.DesiredCopy{}
			}
			p.emitWork()
			p.emitTrouble(p.conditions(nil))
			var reasons []string
			for _, event := range f.recorder.take() {
				reasons = append(reasons, event.reason)
			}
			assert.Equal(t, test.want, reasons)
		})
	}
}

// TestStatusOfARolloutIsWrittenNowAndThen has a status that would only tell that a rollout goes on.
func TestStatusOfARolloutIsWrittenNowAndThen(t *testing.T) {
	f := newFixture(t)
	p := f.rollsOut(&v1.RolloutStatus{Wave: 1}, 2, rollout.Turn{}, wouldBe("a", destination.Updated))
	at := now
	p.clock = func() time.Time { return at }
	assert.Zero(t, p.deferStatus())
	at = now.Add(2 * time.Second)
	assert.Equal(t, 3*time.Second, p.deferStatus())
	at = now.Add(5 * time.Second)
	assert.Zero(t, p.deferStatus())
	at = now.Add(6 * time.Second)
	p.local.outcomes[0] = fine("a", destination.Updated)
	assert.Zero(t, p.deferStatus(), "no copy waits any more")
	p.local.outcomes[0] = wouldBe("a", destination.Updated)
	p.adapter.Rollout.IsProgress = func(_, _ *v1.ClusterProjection) bool { return false }
	assert.Zero(t, p.deferStatus(), "something else has changed")
}

// TestStatusKeepsThatARuleWasIntroduced has no copy wanted for a while.
func TestStatusKeepsThatARuleWasIntroduced(t *testing.T) {
	f := newFixture(t)
	p := f.rollsOut(&v1.RolloutStatus{Introduced: true, Wave: 2}, 2, rollout.Turn{})
	p.local.outcomes, p.local.staged.waits = []destination.Outcome{}, false
	p.reportRollout()
	assert.Equal(t, &v1.RolloutStatus{Introduced: true}, p.rule.Status.Rollout)
	p.local.outcomes = nil
	p.rule.Status.Rollout.Wave = 2
	p.reportRollout()
	assert.Equal(t, &v1.RolloutStatus{Introduced: true, Wave: 2}, p.rule.Status.Rollout, "the reconcile did not come to the copies")
	p.spec.Rollout = nil
	p.reportRollout()
	assert.Nil(t, p.rule.Status.Rollout)
}

// refusedCopy is a copy that the API server refuses.
func refusedCopy(namespace string) destination.Outcome {
	outcome := failed(namespace, refusal, "no")
	outcome.Err, outcome.Content = apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", errors.New("no")), "hash"
	return outcome
}

// counted reports whether a reconcile was counted, with whatever result.
func counted(t *testing.T, f *fixture) bool {
	t.Helper()
	for _, count := range f.series(t, "projection_reconcile_total") {
		if count > 0 {
			return true
		}
	}
	return false
}

// TestLateFailureOfFormerContentLetsNothingPass has a write end late that was made before the source was edited again.
func TestLateFailureOfFormerContentLetsNothingPass(t *testing.T) {
	p := newFixture(t).scope(newRule())
	set := copySet{CopySet: destination.CopySet{Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}}}
	p.local.staged.set = set
	target := set.target(in("a").NamespacedName)
	p.local.late = map[lane.Target]destination.Outcome{target: refusedCopy("a")}
	assert.True(t, p.local.hasFailedLate(target, "hash"))
	assert.False(t, p.local.hasFailedLate(target, "newer"), "the copy awaits its turn")
}
