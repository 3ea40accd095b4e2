package projector

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
)

func TestCopiesInDoubt(t *testing.T) {
	sick := v1.NamespaceFailure{Namespace: "a", Reason: v1.ReasonDestinationNotHealthy}
	tests := map[string]struct {
		failures []v1.NamespaceFailure
		counted  int
		rollout  *v1.RolloutStatus
		known    bool
		concerns string // whose copies are in doubt: a in the first wave, b in the second, c in the third
	}{
		"none":                      {},
		"another failure":           {failures: []v1.NamespaceFailure{{Namespace: "a", Reason: refusal}}},
		"one that the status names": {failures: []v1.NamespaceFailure{sick}, counted: 1, concerns: "a"},
		"one that another failure of its namespace hides": {failures: []v1.NamespaceFailure{
			{Namespace: "a", Reason: refusal, Message: "x: refused; 1 more copy in the namespace failed"},
		}, concerns: "a"},
		"more than the status names": {failures: []v1.NamespaceFailure{sick}, counted: 2, concerns: "abc"},
		"copies had time left":       {rollout: &v1.RolloutStatus{Introduced: true, Wave: 2}, concerns: "bc"},
		"both":                       {failures: []v1.NamespaceFailure{sick}, counted: 1, rollout: &v1.RolloutStatus{Wave: 3}, concerns: "ac"},
		"this process knows them":    {failures: []v1.NamespaceFailure{sick}, counted: 1, known: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			p := f.rollsOut(test.rollout, 2, rollout.Turn{})
			f.adapter.Rollout.NotHealthy = func(*v1.ClusterProjection) int { return test.counted }
			p.before.Status.Failures = test.failures
			p.spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Selector: &v1.SourceSelector{}}
			p.remembered(func(r *memory.Rule) { r.Examined = test.known })
			doubts := p.inDoubt()
			for wave, namespace := range []string{"a", "b", "c"} {
				concerns := doubts.concern(fine(namespace, ""), rollout.Target{Wave: wave})
				assert.Equal(t, strings.Contains(test.concerns, namespace), concerns, namespace)
			}
			assert.Equal(t, test.concerns != "", doubts.any())
		})
	}
}

// TestOneEventForEachCopyThatIsNotHealthy has the status of such a copy say another thing again and again.
func TestOneEventForEachCopyThatIsNotHealthy(t *testing.T) {
	f := newFixture(t)
	report := func(names string, says string) (events []string) {
		outcomes := many(names, func(namespace string) destination.Outcome {
			outcome := failed(namespace, v1.ReasonDestinationNotHealthy, says)
			f.memory.Do(ruleKey, func(r *memory.Rule) {
				known := r.Health[outcome.Place.NamespacedName]
				outcome.Repeated = known.Reported
				if r.Health == nil {
					r.Health = map[types.NamespacedName]memory.Health{}
				}
				r.Health[outcome.Place.NamespacedName] = known
			})
			return outcome
		})
		p := f.rollsOut(&v1.RolloutStatus{Introduced: true}, 0, rollout.Turn{Done: true}, outcomes...)
		p.emitTrouble(p.conditions(nil))
		for _, event := range f.recorder.take() {
			events = append(events, event.related)
		}
		return events
	}
	first := report("abcdefghijklmnopqrstuvwxyz", "0/2 ready")
	assert.Len(t, first, maxFailureEvents)
	assert.Empty(t, report("abcdefghijklmnopqrstuvwxyz", "1/2 ready"), "the message has another number")
	assert.Empty(t, report("uvwxyz", "1/2 ready"), "the status names others")
	assert.Equal(t, []string{"ConfigMap 1/settings"}, report("uvwxyz1", "0/2 ready"))
}
