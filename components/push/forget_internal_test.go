package push

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/projector"
)

// TestReportAfterTheEndOfARule has a branch report of a rule that is gone, and of one that is there.
func TestReportAfterTheEndOfARule(t *testing.T) {
	c, _, of := gathering("east")
	_, cache := declared(remoteNamed("east"))
	c.ctx, c.options.Client = t.Context(), cache
	assert.True(t, c.mayWrite(c.branches["east"], key))
	c.report(c.branches["east"], of, projector.Report{Rule: "1"})
	assert.Empty(t, c.reports, "nothing is kept of it")

	c.options.Client = ruled{cache, of}
	c.report(c.branches["east"], of, projector.Report{Rule: "1"})
	assert.Len(t, c.reports, 1)
}
