package clusterprojection

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// TestSkippedNamespacesAreCounted reports, one after the other, what reconciles have skipped.
func TestSkippedNamespacesAreCounted(t *testing.T) {
	rule, none := &v1.ClusterProjection{}, []destination.Outcome{}
	served, old := func(string) bool { return true }, func(field string) bool { return field != "namespacesSkipped" }
	reportStatus(rule, none, 7, served)
	assert.Equal(t, new(int32(7)), rule.Status.NamespacesSkipped)
	assert.Equal(t, new(int32(0)), rule.Status.NamespacesTargeted)
	reportStatus(rule, nil, 0, served)
	assert.Equal(t, new(int32(7)), rule.Status.NamespacesSkipped, "the reconcile did not come to the targets")
	reportStatus(rule, none, 0, served)
	assert.Nil(t, rule.Status.NamespacesSkipped, "none is skipped")
	reportStatus(rule, none, 7, old)
	assert.Nil(t, rule.Status.NamespacesSkipped, "the API server would drop the field")
	assert.NotNil(t, rule.Status.NamespacesTargeted)
}
