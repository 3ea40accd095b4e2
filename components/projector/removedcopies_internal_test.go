package projector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

// Requests about other copies do not make the rule say that the kept ones are removed.
func TestKeptCopiesAreReportedWhateverElseHappens(t *testing.T) {
	for name, outcome := range map[string]destination.Outcome{
		"nothing": {}, "a request is pending": pending("left"), "a request has failed": failed("left", v1.ReasonDestinationWriteFailed, "no"),
	} {
		t.Run(name, func(t *testing.T) {
			p := newFixture(t).scope(newRule())
			p.local.keptCopies, p.local.removals = true, []destination.Outcome{outcome}
			problem := policy.Problem{Reason: v1.ReasonSourceDeleted, Message: "ConfigMap home/settings was deleted", Advice: "create it again to restore the copies"}
			assert.Equal(t, "ConfigMap home/settings was deleted; its copies are kept, as spec.policy.retain asks; create it again to update them, or delete this rule",
				p.withRemovedCopies(problem).Sentence())
		})
	}
}
