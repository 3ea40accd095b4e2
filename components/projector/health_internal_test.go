package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/health"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/rollout"
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

func TestWhenACopyIsReadFirst(t *testing.T) {
	assert.Equal(t, now.Add(firstLook), firstRead(now, now))
	assert.Equal(t, now.Add(-time.Hour).Add(firstLook), firstRead(now.Add(-time.Hour), now), "long ago, after a restart")
	assert.Equal(t, now.Add(healthInterval), firstRead(now.Add(time.Hour), now), "the clock of the API server is ahead")
}

func TestWhenACopyIsReadAgain(t *testing.T) {
	r := &rolling[*v1.ClusterProjection]{strategy: rollout.Strategy{Deadline: 10 * time.Second}}
	changed := func(ago time.Duration) rollout.Target {
		return rollout.Target{State: rollout.Updated, Changed: now.Add(-ago)}
	}
	assert.Equal(t, now.Add(healthInterval), r.nextRead(changed(0), now))
	assert.Equal(t, now.Add(2*time.Second), r.nextRead(changed(9*time.Second), now), "at its deadline, which is in full seconds")
	assert.Equal(t, now.Add(healthInterval), r.nextRead(changed(time.Minute), now), "it has missed it")
}

func TestShorterOfTwoTimes(t *testing.T) {
	assert.Equal(t, time.Second, soonest(0, time.Second))
	assert.Equal(t, time.Second, soonest(time.Second, 0))
	assert.Equal(t, time.Second, soonest(2*time.Second, time.Second))
	assert.Zero(t, soonest(0, 0))
}
