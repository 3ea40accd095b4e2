package projector

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// maxMessage bounds the message of a condition: three failures at the longest places there are, and what joins them.
const maxMessage = namedFailures*(63+400+63+253+64) + 100

// FuzzConditions tells of copies that failed for any errors, at any places: no panic, twice the same, messages and notes
// within their bounds, and always the same conditions.
func FuzzConditions(f *testing.F) {
	f.Add(uint16(0), uint16(0), "", "", "", true)
	f.Add(uint16(1), uint16(1), "a", "settings", "no\nreason", false)
	f.Add(uint16(9000), uint16(77), "namespace", "\xff\xfe", "long äöü €", true)
	f.Fuzz(func(t *testing.T, copies, failing uint16, namespace, name, words string, resolved bool) {
		namespace, name = bounded(namespace, 63), bounded(name, 253)
		outcomes := make([]destination.Outcome, copies)
		for i := range outcomes {
			outcomes[i].Place = destination.Place{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
			if i < int(failing) {
				outcomes[i].Reason = []string{v1.ReasonDestinationConflict, v1.ReasonDestinationUpdateFailed}[i%2]
				outcomes[i].Message = apierr.Message(errors.New(words))
			}
		}
		b := newFixture(t)
		p := b.scope(newRule())
		p.local.outcomes = outcomes
		var failure error
		if !resolved {
			failure = plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, fmt.Errorf("%s", words))
		}
		reported := p.conditions(failure)
		require.Equal(t, reported, p.conditions(failure))
		for _, condition := range []metav1.Condition{reported.resolved, reported.written, reported.ready} {
			require.NotEmpty(t, condition.Reason)
			require.LessOrEqual(t, len(condition.Message), maxMessage)
		}
		p.emitWork()
		p.emitTrouble(reported)
		events := b.recorder.take()
		require.LessOrEqual(t, len(events), 2+maxFailureEvents)
		for _, event := range events {
			require.LessOrEqual(t, len(event.note), maxNote+len("…"))
		}
	})
}

// bounded returns no more of a text than so many bytes.
func bounded(text string, most int) string { return text[:min(len(text), most)] }
