package fleet

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChangesOfAGateAreSeen looks after each turn, and after what is none.
func TestChangesOfAGateAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, _ := runGate(t, nil)
		changed, cause := gate.Observe()
		require.NoError(t, cause)
		isChanged := func() bool {
			synctest.Wait()
			select {
			case <-changed:
				changed, cause = gate.Observe()
				return true
			default:
				return false
			}
		}
		<-time.After(2 * quietTime)
		assert.False(t, isChanged(), "a probe that finds it open")
		gate.Close(errRefused)
		assert.True(t, isChanged(), "closed, or already open again")
		assert.False(t, IsNotProbed(cause))
		gate, probes := runGate(t, errRefused)
		changed, cause = gate.Observe()
		assert.Equal(t, errRefused, cause)
		probes.find(errUnauthorized)
		gate.ProbeNow()
		assert.True(t, isChanged(), "another cause")
		assert.Equal(t, errUnauthorized, cause)
		probes.find(nil)
		gate.ProbeNow()
		assert.True(t, isChanged(), "opened")
		require.NoError(t, cause)
	})
}
