package fleet

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
)

var (
	errRefused      = errors.New("connection refused")
	errUnauthorized = apierrors.NewUnauthorized("the token has expired")
)

// probes are the probes of a gate, and what they find.
type probes struct {
	began time.Time

	mu    sync.Mutex
	found error
	at    []time.Duration // when they came
}

func (p *probes) find(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = err
}

func (p *probes) probe(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = append(p.at, time.Since(p.began))
	return p.found
}

// since returns when probes came since the last call.
func (p *probes) since() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.at
	p.began, p.at = time.Now(), nil
	return at
}

// runGate returns a gate that runs, without spreading its probes, and its probes.
func runGate(t *testing.T, found error) (*Gate, *probes) {
	t.Helper()
	gate := NewGate(clock.RealClock{}, semaphore.NewWeighted(1))
	gate.draw = func() float64 { return 0.5 }
	probes := &probes{began: time.Now(), found: found}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		gate.Run(ctx, probes.probe)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	synctest.Wait()
	return gate, probes
}

func assertOpen(t *testing.T, gate *Gate) {
	t.Helper()
	_, cause := gate.State()
	require.NoError(t, cause)
	_, err := gate.enter()
	require.NoError(t, err)
}

func assertClosed(t *testing.T, gate *Gate, want error) {
	t.Helper()
	_, cause := gate.State()
	require.ErrorIs(t, cause, want)
	_, err := gate.enter()
	require.ErrorAs(t, err, new(*UnreachableError))
	assert.True(t, IsUnreachable(err))
}

const (
	s = time.Second
	m = time.Minute
)

func TestGateOpensWithTheFirstProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := NewGate(clock.RealClock{}, semaphore.NewWeighted(1))
		assertClosed(t, idle, errNotProbed)
		gate, probes := runGate(t, nil)
		assertOpen(t, gate)
		assert.Equal(t, []time.Duration{0}, probes.since())
	})
}

func TestPausesBetweenProbes(t *testing.T) {
	tests := map[string]struct {
		found error
		want  []time.Duration
	}{
		"no answer":       {errRefused, []time.Duration{0, s, 3 * s, 7 * s, 15 * s, 31 * s, 63 * s, 123 * s, 183 * s}},
		"failing server":  {apierrors.NewInternalError(errRefused), []time.Duration{0, s, 3 * s, 7 * s, 15 * s, 31 * s, 63 * s, 123 * s, 183 * s}},
		"busy server":     {apierrors.NewTooManyRequestsError("later"), []time.Duration{0, s, 3 * s, 7 * s, 15 * s, 31 * s, 63 * s, 123 * s, 183 * s}},
		"refusal":         {errUnauthorized, []time.Duration{0, m / 2, m + m/2}},
		"another cluster": {&IdentityError{Pinned: "a", Found: "b"}, []time.Duration{0, m / 2, m + m/2}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate, probes := runGate(t, test.found)
				<-time.After(200 * time.Second)
				assert.Equal(t, test.want, probes.since())
				assertClosed(t, gate, test.found)
				probes.find(nil)
				<-time.After(5 * time.Minute)
				assertOpen(t, gate)
			})
		})
	}
	assert.Equal(t, 5*time.Minute, pauseAfter(errUnauthorized, 100))
	assert.Equal(t, 8*time.Second, spread(10*time.Second, 0))
	assert.Equal(t, 12*time.Second, spread(10*time.Second, 1))
}

func TestThreeFailuresInARowCloseTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, nil)
		through, err := gate.enter()
		require.NoError(t, err)
		for range 2 {
			through.failed(errRefused)
			through.failed(errRefused)
			through.heard()
		}
		assertOpen(t, gate)
		probes.since()

		probes.find(errRefused)
		<-time.After(m)
		probes.since()
		for range 3 {
			assertOpen(t, gate)
			through.failed(errRefused)
		}
		assertClosed(t, gate, errRefused)
		since, _ := gate.State()
		assert.Equal(t, time.Now(), since)
		synctest.Wait()
		assert.Equal(t, []time.Duration{0}, probes.since(), "a probe at once")

		probes.find(nil)
		<-time.After(s)
		synctest.Wait()
		assertOpen(t, gate)
		for range 3 {
			through.failed(errRefused) // of requests that began before the gate was closed
		}
		assertOpen(t, gate)
	})
}

func TestSilenceIsProbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, nil)
		probes.since()
		through, err := gate.enter()
		require.NoError(t, err)
		for range 10 { // bookmarks
			<-time.After(m)
			through.heard()
		}
		assert.Empty(t, probes.since())
		<-time.After(4 * m)
		assert.Equal(t, []time.Duration{75 * s, 150 * s, 225 * s}, probes.since())
		probes.find(errRefused)
		<-time.After(2 * m)
		assertClosed(t, gate, errRefused)
	})
}

// TestGateThatClosesAgainAndAgainIsProbedWithPauses has a cluster that answers probes and closes each connection.
func TestGateThatClosesAgainAndAgainIsProbedWithPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, nil)
		var opened []time.Duration
		began := time.Now()
		for range 8 {
			gate.Close(errDisconnected)
			_, err := gate.await(t.Context())
			require.NoError(t, err)
			opened = append(opened, time.Since(began))
		}
		assert.Equal(t, []time.Duration{s, 3 * s, 5 * s, 7 * s, 9 * s, 11 * s, 13 * s, 15 * s}, opened)
		<-time.After(m)
		probes.since()
		gate.Close(errDisconnected)
		synctest.Wait()
		assert.Equal(t, []time.Duration{0}, probes.since(), "it was calm")
	})
}

func TestOneBreakAfterALongAbsenceCostsNoMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, errRefused)
		<-time.After(time.Hour)
		probes.find(nil)
		<-time.After(90 * s)
		assertOpen(t, gate)
		gate.Close(errDisconnected)
		<-time.After(2 * s)
		synctest.Wait()
		assertOpen(t, gate)
	})
}

func TestChangeThatMayHelpIsProbedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, probes := runGate(t, errUnauthorized)
		<-time.After(10 * s)
		probes.since()
		probes.find(nil)
		gate.ProbeNow()
		synctest.Wait()
		assert.Equal(t, []time.Duration{0}, probes.since())
		assertOpen(t, gate)
	})
}

// TestProbeThatBeganBeforeTheNewsOpensNothing has a probe under way on connections that are exchanged.
func TestProbeThatBeganBeforeTheNewsOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := NewGate(clock.RealClock{}, semaphore.NewWeighted(1))
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error)
		go gate.Run(ctx, func(context.Context) error { return <-results })
		synctest.Wait()
		changed := &IdentityError{Pinned: "a", Found: "b"}
		gate.Close(changed)
		results <- nil
		synctest.Wait()
		assertClosed(t, gate, changed)
		results <- nil // of a probe that began after
		synctest.Wait()
		assertOpen(t, gate)
		cancel()
		synctest.Wait()
	})
}

func TestProbesShareTheDials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, ctx := semaphore.NewWeighted(2), t.Context()
		var mu sync.Mutex
		var underWay, most, all int
		for range 10 {
			gate := NewGate(clock.RealClock{}, dials)
			go gate.Run(ctx, func(context.Context) error {
				mu.Lock()
				underWay++
				all++
				most = max(most, underWay)
				mu.Unlock()
				<-time.After(s)
				mu.Lock()
				defer mu.Unlock()
				underWay--
				return nil
			})
		}
		<-time.After(10 * s)
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, 10, all)
		assert.Equal(t, 2, most)
	})
}
