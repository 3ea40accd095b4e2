package clusterprojection

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// inWaves is a rule with two waves, of red and of blue namespaces.
func inWaves() *v1.ClusterProjection {
	rolls := rule("rolls", v1.ClusterProjectionDestination{Namespaces: []string{"tenant"}})
	wave := func(group string) v1.Wave {
		return v1.Wave{NamespaceSelector: v1.WaveSelector{MatchExpressions: []v1.WaveSelectorRequirement{
			{Key: "group", Operator: metav1.LabelSelectorOpIn, Values: []string{group, "both"}},
		}}}
	}
	rolls.Spec.Rollout = &v1.Rollout{Waves: []v1.Wave{wave("red"), wave("blue")}}
	return &rolls
}

func TestWaveOfANamespace(t *testing.T) {
	for group, wave := range map[string]int{"red": 0, "both": 0, "blue": 1, "green": 2, "": 2} {
		waveOf := (&Namespaces{reader: one{namespace: namespace(group, false)}}).WaveOf(t.Context(), inWaves())
		assert.Equal(t, wave, waveOf("tenant"), group)
	}
	waveOf := (&Namespaces{reader: one{}}).WaveOf(t.Context(), inWaves())
	assert.Equal(t, 2, waveOf("tenant"), "a namespace that is not known")
	waveOf = (&Namespaces{reader: one{err: assert.AnError}}).WaveOf(t.Context(), inWaves())
	assert.Equal(t, 2, waveOf("tenant"), "the cache does not answer")
	without := inWaves()
	without.Spec.Rollout.Waves = nil
	assert.Zero(t, (&Namespaces{reader: one{namespace: namespace("red", false)}}).WaveOf(t.Context(), without)("tenant"))
}

// TestNamespaceThatChangesItsWave asks whether the rule is enqueued.
func TestNamespaceThatChangesItsWave(t *testing.T) {
	without := inWaves()
	without.Spec.Rollout = nil
	tests := map[string]struct {
		rule          *v1.ClusterProjection
		before, after string
		changes       bool
	}{
		"to an earlier wave": {inWaves(), "green", "blue", true},
		"to a later wave":    {inWaves(), "red", "", true},
		"within a wave":      {inWaves(), "red", "both", false},
		"within the last":    {inWaves(), "green", "", false},
		"without a rollout":  {without, "red", "blue", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			matcher := newEventMatcher(&Namespaces{})
			trigger := matcher.triggerOf(test.rule, watch.RuleKey{}, namespace(test.before, false), namespace(test.after, false))
			assert.Equal(t, test.changes, trigger != "")
		})
	}
}

func TestProgressOfARollout(t *testing.T) {
	status := func(change func(*v1.ClusterProjectionStatus)) *v1.ClusterProjection {
		rule := inWaves()
		rule.Status = v1.ClusterProjectionStatus{
			CommonStatus:      v1.CommonStatus{Conditions: []metav1.Condition{{Type: v1.ConditionReady, Reason: v1.ReasonRolloutInProgress, Message: "1 of 3"}}, AppliedFields: "a"},
			NamespacesWritten: new(int32(1)), NamespacesHeld: new(int32(2)), Rollout: &v1.RolloutStatus{Wave: 1, Introduced: true},
		}
		change(&rule.Status)
		return rule
	}
	before := status(func(*v1.ClusterProjectionStatus) {})
	tests := map[string]struct {
		change   func(*v1.ClusterProjectionStatus)
		progress bool
	}{
		"the numbers": {func(s *v1.ClusterProjectionStatus) {
			s.NamespacesWritten, s.NamespacesHeld, s.Conditions[0].Message = new(int32(2)), new(int32(1)), "2 of 3"
		}, true},
		"the wave":     {func(s *v1.ClusterProjectionStatus) { s.Rollout.Wave = 2 }, false},
		"the end":      {func(s *v1.ClusterProjectionStatus) { s.Rollout.Wave = 0 }, false},
		"no rollout":   {func(s *v1.ClusterProjectionStatus) { s.Rollout = nil }, false},
		"the reason":   {func(s *v1.ClusterProjectionStatus) { s.Conditions[0].Reason = v1.ReasonRolloutHeld }, false},
		"the fields":   {func(s *v1.ClusterProjectionStatus) { s.AppliedFields = "a,b" }, false},
		"the failures": {func(s *v1.ClusterProjectionStatus) { s.NamespacesFailed = new(int32(1)) }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.progress, isProgress(before, status(test.change)))
		})
	}
}

// TestProgressOfCopiesThatBecomeHealthyLate has a status whose copies have missed their deadline, and become healthy one after the other.
func TestProgressOfCopiesThatBecomeHealthyLate(t *testing.T) {
	status := func(failed int32, reason string) *v1.ClusterProjection {
		rule := inWaves()
		rule.Status = v1.ClusterProjectionStatus{
			CommonStatus: v1.CommonStatus{Conditions: []metav1.Condition{{
				Type: v1.ConditionDestinationWritten, Reason: reason, Message: strconv.Itoa(int(failed)),
			}}},
			NamespacesWritten: new(100 - failed), NamespacesFailed: new(failed), Rollout: &v1.RolloutStatus{Introduced: true},
			FailureReasons: []v1.ReasonCount{{Reason: v1.ReasonDestinationNotHealthy, Count: failed}},
			Failures:       []v1.NamespaceFailure{{Namespace: strconv.Itoa(int(failed)), Reason: v1.ReasonDestinationNotHealthy}},
		}
		return rule
	}
	before := status(20, v1.ReasonDestinationNotHealthy)
	assert.True(t, isProgress(before, status(19, v1.ReasonDestinationNotHealthy)))
	assert.False(t, isProgress(before, status(0, v1.ReasonProjected)), "all are healthy")
	assert.False(t, isProgress(before, status(21, v1.ReasonDestinationWriteFailed)), "one has failed for another reason")
	assert.Equal(t, 20, notHealthy(before))
	assert.Zero(t, notHealthy(inWaves()))
}
