package gitops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
)

// TestRuleThatMayNotReadItsSourceHoldsNothing deletes a rule for a kind that the manager may not read.
func TestRuleThatMayNotReadItsSourceHoldsNothing(t *testing.T) {
	w := newWorld(t)
	rule := settles(v1.ReasonSourceFetchFailed, unreadable)(w)
	assert.Empty(t, rule.GetFinalizers(), "nothing was written for it")
	w.ends(rule)
}
