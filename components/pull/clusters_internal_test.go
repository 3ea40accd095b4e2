package pull

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
)

// TestNothingIsKeptOfWhatRulesName has rules name clusters that nobody has declared.
func TestNothingIsKeptOfWhatRulesName(t *testing.T) {
	c := New(t.Context(), Options{Registry: &remotecluster.Registry{}, Clock: clock.RealClock{}})
	require.ErrorAs(t, c.SourceCluster("eu-1").Remote.Sure(t.Context()), new(*fleet.UnreachableError))
	assert.Empty(t, c.opened)
}
