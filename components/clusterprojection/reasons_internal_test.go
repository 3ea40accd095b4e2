package clusterprojection

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// TestFailuresAreCountedByReason reports, one after the other, how copies have failed.
func TestFailuresAreCountedByReason(t *testing.T) {
	served, old := func(string) bool { return true }, func(field string) bool { return field != "failureReasons" }
	refused, blocked := v1.ReasonDestinationNotPermitted, v1.ReasonDestinationConflict
	var outcomes []destination.Outcome
	for i := range 5000 {
		outcome := destination.Outcome{Reason: refused, Message: "no"}
		switch {
		case i%1000 == 7:
			outcome.Reason = blocked
		case i == 4999:
			outcome = destination.Outcome{}
		}
		outcomes = append(outcomes, outcome)
	}
	rule := &v1.ClusterProjection{}
	reportStatus(rule, outcomes, 0, served)
	assert.Equal(t, []v1.ReasonCount{{Reason: blocked, Count: 5}, {Reason: refused, Count: 4994}}, rule.Status.FailureReasons)
	assert.Equal(t, new(int32(4999)), rule.Status.NamespacesFailed)
	assert.Len(t, rule.Status.Failures, v1.MaxFailures)

	reportStatus(rule, nil, 0, served)
	assert.Len(t, rule.Status.FailureReasons, 2, "the reconcile did not come to the copies")
	reportStatus(rule, outcomes, 0, old)
	assert.Nil(t, rule.Status.FailureReasons, "the API server would drop the field")
	reportStatus(rule, outcomes[4999:], 0, served)
	assert.Nil(t, rule.Status.FailureReasons, "none has failed")
}

func TestReasonsThatAreCountedAreBounded(t *testing.T) {
	var outcomes []destination.Outcome
	for i := range 2 * v1.MaxFailureReasons {
		outcomes = append(outcomes, destination.Outcome{Reason: fmt.Sprintf("Reason%02d", i)})
	}
	assert.Len(t, countReasons(outcomes), v1.MaxFailureReasons)
}
