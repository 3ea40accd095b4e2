package projector

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
)

// summarizeRollout says how far the rollout has come in which copies wait, or what holds it.
func (m *memberScope[O]) summarizeRollout() policy.Problem {
	if !m.isRollingOut() {
		return policy.Problem{}
	}
	if m.turn == nil || !m.turn.Held {
		return policy.Problem{Reason: v1.ReasonRolloutInProgress, Message: fmt.Sprintf("%s%d of %d copies have the present content",
			m.describeWave("", ": "), count(hasContent, m.outcomes), len(m.outcomes)-count(isSkipped, m.outcomes)) + m.awaitHealth()}
	}
	waits := "1 copy waits"
	if held := count(isHeld, m.outcomes); held > 1 {
		waits = fmt.Sprintf("%d copies wait", held)
	}
	message := fmt.Sprintf("held%s: %d of %d copies failed, and %d may; %s", m.describeWave(" in ", ""), m.turn.Failed, m.turn.Size, m.turn.Allowed, waits)
	if m.staged.failed >= 0 {
		message += ": " + m.describeFailure(m.outcomes[m.staged.failed])
	}
	problem := policy.Problem{Reason: v1.ReasonRolloutHeld, Message: message}
	if removals := filter(destination.Outcome.Failed, m.removals); len(removals) > 0 {
		problem.Copies = m.summarizeFailures(removals).Message
	}
	return problem
}

// hasContent reports whether the copy has the present content, healthy or not.
func hasContent(outcome destination.Outcome) bool { return outcome.IsInSync() || isNotHealthy(outcome) }

// isNotHealthy reports whether the copy has not become healthy in time.
func isNotHealthy(outcome destination.Outcome) bool {
	return outcome.Reason == v1.ReasonDestinationNotHealthy
}

// awaitHealth says how many copies are not healthy yet.
func (m *memberScope[O]) awaitHealth() string {
	switch m.notHealthyYet {
	case 0:
		return ""
	case 1:
		return "; 1 of them is not healthy yet"
	default:
		return fmt.Sprintf("; %d of them are not healthy yet", m.notHealthyYet)
	}
}

// describeWave says which wave is being changed; empty if there is only one, or if the reconcile did not find out.
func (m *memberScope[O]) describeWave(before, after string) string {
	waves := len(m.scope.spec.Rollout.Waves)
	if waves == 0 || m.turn == nil {
		return ""
	}
	return fmt.Sprintf("%swave %d of %d%s", before, m.turn.Wave+1, waves+1, after)
}

// emitRollout sends an event when a rollout begins to be held, and when it is complete. If the last copy has missed its deadline, it is not: the event
// follows when the copy becomes healthy.
func (s *scope[O]) emitRollout(reported conditionSet) {
	if s.spec.Rollout == nil || s.local.outcomes == nil || !s.local.staged.waits {
		return
	}
	before := *s.adapter.Rollout.Status(s.before)
	ends := before != nil && before.Wave > 0 && !s.local.isRollingOut() && s.local.isComplete()
	late := reported.written.Status == metav1.ConditionTrue && s.reportedReason(v1.ReasonDestinationNotHealthy)
	switch {
	case reported.written.Reason == v1.ReasonRolloutHeld && !s.reportedReason(v1.ReasonRolloutHeld):
		s.emit(corev1.EventTypeWarning, v1.ReasonRolloutHeld, actionWrite, reported.written.Message, nil)
	case (ends || late) && len(s.local.outcomes) > 0:
		note := fmt.Sprintf("the rollout is complete: %d of %d copies have the present content", count(hasContent, s.local.outcomes), len(s.local.outcomes))
		if failed := count(isNotHealthy, s.local.outcomes); failed > 0 {
			note += fmt.Sprintf(", and %d of them may fail and did not become healthy", failed)
		}
		s.emit(corev1.EventTypeNormal, v1.ReasonRolloutCompleted, actionWrite, note, nil)
	}
}

// isComplete reports whether all waves are finished: nothing is under way, and no more copies have failed than may.
func (m *memberScope[O]) isComplete() bool {
	if m.turn != nil {
		return m.turn.Finished
	}
	for i := range m.outcomes {
		if outcome := &m.outcomes[i]; outcome.Pending || outcome.Failed() && !m.isLeft(i) {
			return false
		}
	}
	return true
}

// reportedReason reports whether the condition DestinationWritten had that reason before this reconcile.
func (s *scope[O]) reportedReason(reason string) bool {
	for _, condition := range *s.before.GetStatusConditions() {
		if condition.Type == v1.ConditionDestinationWritten {
			return condition.Status == metav1.ConditionFalse && condition.Reason == reason
		}
	}
	return false
}

// withoutStaged leaves out the copies that had to wait for their turn, if others still wait, or did in the reconcile before. An event says
// when the rollout is complete.
func (s *scope[O]) withoutStaged(outcomes []destination.Outcome) []destination.Outcome {
	if len(s.local.staged.copies) == 0 {
		return outcomes
	}
	if before := *s.adapter.Rollout.Status(s.before); !s.local.isRollingOut() && (before == nil || before.Wave == 0) {
		return outcomes
	}
	var others []destination.Outcome
	for i, outcome := range outcomes {
		if _, staged := s.local.staged.copies[i]; !staged {
			others = append(others, outcome)
		}
	}
	return others
}

// rolloutStatusInterval is how often the status tells how many copies a rollout has changed.
const rolloutStatusInterval = 5 * time.Second

// deferStatus returns for how long the status need not be written, since it would only tell that a rollout goes on; zero: it has to be written.
func (s *scope[O]) deferStatus() (wait time.Duration) {
	if s.spec.Rollout == nil || s.local.outcomes == nil {
		return 0
	}
	if !s.local.isRollingOut() && count(isNotHealthy, s.local.outcomes) == 0 || !s.adapter.Rollout.IsProgress(s.before, s.rule) {
		return 0
	}
	now := s.clock()
	s.remembered(func(r *memory.Rule) {
		if wait = r.Rollout.Reported.Add(rolloutStatusInterval).Sub(now); wait <= 0 {
			wait, r.Rollout.Reported = 0, now
		}
	})
	return wait
}
