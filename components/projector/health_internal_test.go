package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/health"
	"projection.sh/operator/components/projector/internal/memory"
)

func TestVerdictOnACopy(t *testing.T) {
	next, tried := now.Add(5*time.Second), now.Add(-10*time.Second)
	seen := func(healthy bool) destination.Seen {
		return destination.Seen{Version: "7", Verdict: health.Verdict{Healthy: healthy}}
	}
	tests := map[string]struct {
		known     memory.Health
		isReady   bool
		unhealthy bool
		until     time.Time
	}{
		"it has shown it":                         {known: memory.Health{Settled: true, Seen: seen(true)}, isReady: true},
		"it is healthy, and not ready":            {known: memory.Health{Seen: seen(true)}},
		"it was healthy, and may not be any more": {known: memory.Health{Seen: seen(true), Next: next}, isReady: true, unhealthy: true, until: next.Add(firstLook)},
		"it is not healthy":                       {known: memory.Health{Seen: seen(false), Next: next}, isReady: true, unhealthy: true},
		"it is not healthy, and reads fail since": {known: memory.Health{Seen: seen(false), Tried: tried}, unhealthy: true},
		"it was not read yet":                     {known: memory.Health{Next: next}, isReady: true, unhealthy: true, until: next.Add(firstLook)},
		"it could not be read":                    {known: memory.Health{Next: next, Tried: tried}, isReady: true, unhealthy: true, until: tried.Add(patience)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			until, unhealthy := (&rolling[*v1.ClusterProjection]{}).verdictOn(test.known, test.isReady)
			assert.Equal(t, test.unhealthy, unhealthy)
			assert.Equal(t, test.until, until)
		})
	}
}

func TestShorterOfTwoTimes(t *testing.T) {
	assert.Equal(t, time.Second, soonest(0, time.Second))
	assert.Equal(t, time.Second, soonest(time.Second, 0))
	assert.Equal(t, time.Second, soonest(2*time.Second, time.Second))
	assert.Zero(t, soonest(0, 0))
}
