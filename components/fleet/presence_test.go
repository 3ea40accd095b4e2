package fleet_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	testingclock "k8s.io/utils/clock/testing"

	"projection.sh/operator/components/fleet"
)

func TestLeaseIsRenewedOnceAMinute(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "a")
	p.becomes(t, fleet.LeaseHeld)
	p.writes(t)
	assert.Equal(t, "a", *leases.lease.Spec.HolderIdentity)
	assert.EqualValues(t, 180, *leases.lease.Spec.LeaseDurationSeconds)
	first, chain := p.Latest()
	began := clock.Now()
	after(t, clock, 10*time.Second, func() bool { _, writes := leases.count(); return writes == 4 })
	assert.GreaterOrEqual(t, clock.Since(began), 3*time.Minute)
	reads, _ := leases.count()
	assert.Equal(t, 1, reads, "one request for each renewal")
	require.Eventually(t, func() bool { latest, _ := p.Latest(); return latest == "4" }, time.Second, time.Millisecond)
	_, still := p.Latest()
	assert.Equal(t, "1", first)
	assert.Equal(t, chain, still)

	p.stop()
	assert.Empty(t, *leases.lease.Spec.HolderIdentity, "it is given back")
	require.Error(t, p.Writable())
}

// TestSecondProcessWithOurHubIDWritesNothing runs two processes, of which the first one ends without giving the lease back.
func TestSecondProcessWithOurHubIDWritesNothing(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	first := newProcess(t, clock, leases, "first")
	first.becomes(t, fleet.LeaseHeld)
	second := newProcess(t, clock, leases, "second")
	second.becomes(t, fleet.HeldByAnother)
	held, isHeld := second.Writable().(*fleet.HeldError) //nolint:errorlint // it is not wrapped
	require.True(t, isHeld)
	assert.Equal(t, "first", held.Holder)
	after(t, clock, time.Minute, func() bool { _, writes := leases.count(); return writes == 7 })
	assert.Equal(t, fleet.HeldByAnother, second.State().Kind, "for as long as the first one renews it")
	first.writes(t)

	first.gate.Close(errCut)
	leases.change(func() { leases.code = http.StatusInternalServerError })
	first.stop()
	leases.change(func() { leases.code = 0 })
	ended := clock.Now()
	after(t, clock, 30*time.Second, func() bool { return second.State().Kind == fleet.LeaseHeld })
	assert.GreaterOrEqual(t, clock.Since(ended), 2*time.Minute, "three since it was renewed")
	assert.LessOrEqual(t, clock.Since(ended), 3*time.Minute+30*time.Second, "it is asked for again and again")
	second.writes(t)
	assert.EqualValues(t, 1, *leases.lease.Spec.LeaseTransitions)
}

func TestLeaseThatIsGivenBackIsTakenAtOnce(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	first := newProcess(t, clock, leases, "first")
	first.becomes(t, fleet.LeaseHeld)
	first.stop()
	second := newProcess(t, clock, leases, "second")
	second.becomes(t, fleet.LeaseHeld)
}

// TestLeaseIsGivenBackAlthoughTheLastAnswerWasLost ends a process while it renews its lease.
func TestLeaseIsGivenBackAlthoughTheLastAnswerWasLost(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "first")
	p.writes(t)
	leases.change(func() { leases.lost = true })
	after(t, clock, time.Minute, func() bool { _, writes := leases.count(); return writes == 2 })
	p.stop()
	assert.Empty(t, *leases.lease.Spec.HolderIdentity)

	leases.change(func() { leases.lost = true })
	p = newProcess(t, clock, leases, "second")
	require.Eventually(t, func() bool { _, writes := leases.count(); return writes == 4 }, 10*time.Second, time.Millisecond)
	p.stop()
	assert.Empty(t, *leases.lease.Spec.HolderIdentity, "it is given back by one that does not know that it holds it")
}

// TestLeaseIsHeldAfterAShortLeave has a cluster be usable again before the lease was given back.
func TestLeaseIsHeldAfterAShortLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(t, testingclock.NewFakeClock(time.Now()), &leases{}, "first")
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		var again sync.WaitGroup
		again.Go(func() { p.Run(ctx) })
		synctest.Wait()
		p.leave()
		synctest.Wait()
		require.NoError(t, p.Writable())
		cancel()
		again.Wait()
		p.stop()
	})
}

// TestHolderStopsWritingWhenItCannotRenew has the API server fail.
func TestHolderStopsWritingWhenItCannotRenew(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "a")
	p.writes(t)
	leases.change(func() { leases.code = http.StatusInternalServerError })
	clock.Step(3*time.Minute - time.Second)
	require.NoError(t, p.Writable())
	clock.Step(time.Second)
	require.ErrorContains(t, p.Writable(), "could not be renewed")
	leases.change(func() { leases.code = 0 })
	after(t, clock, 10*time.Second, func() bool { return p.Writable() == nil })
}

func TestLeaseThatIsNotPossible(t *testing.T) {
	tests := map[string]struct {
		code int
		kind fleet.FenceKind
	}{
		"not permitted": {forbidden, fleet.LeaseNotPermitted},
		"no namespace":  {http.StatusNotFound, fleet.HomeMissing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock, leases := testingclock.NewFakeClock(time.Now()), &leases{code: test.code}
			p := newProcess(t, clock, leases, "a")
			p.becomes(t, test.kind)
			p.writes(t) // nothing keeps others from writing, either
			version, chain := p.Latest()
			assert.Empty(t, version)
			proven, err := p.Confirm(t.Context(), chain, time.Time{})
			require.NoError(t, err)
			assert.False(t, proven)
			leases.change(func() { leases.code = 0 })
			after(t, clock, 10*time.Second, func() bool { return p.State().Kind == fleet.LeaseHeld })
		})
	}
}

func TestWitnessOfTheHistory(t *testing.T) {
	tests := map[string]struct {
		change func(l *leases)
		proven bool
	}{
		"nothing has happened":        {func(*leases) {}, true},
		"the lease was deleted":       {func(l *leases) { l.lease = nil }, false},
		"it was made again":           {func(l *leases) { l.lease.UID = "other" }, false},
		"it is that of the past":      {func(l *leases) { l.lease.ResourceVersion = "0" }, false},
		"another process has it":      {func(l *leases) { l.lease.ResourceVersion = "9"; l.lease.Spec.HolderIdentity = new("b") }, false},
		"the permission is withdrawn": {func(l *leases) { l.code = forbidden }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
			p := newProcess(t, clock, leases, "a")
			p.becomes(t, fleet.LeaseHeld)
			_, chain := p.Latest()
			leases.change(func() { test.change(leases) })
			clock.Step(time.Second)
			proven, err := p.Confirm(t.Context(), chain, clock.Now().Add(-time.Millisecond))
			require.NoError(t, err)
			assert.Equal(t, test.proven, proven)
			if !proven {
				proven, err = p.Confirm(t.Context(), chain, time.Time{})
				require.NoError(t, err)
				assert.False(t, proven, "what has ended does not begin again")
			}
		})
	}
}

// TestAnswerOfTheWitnessIsShared has several watches go on after one cut.
func TestAnswerOfTheWitnessIsShared(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "a")
	p.becomes(t, fleet.LeaseHeld)
	_, chain := p.Latest()
	clock.Step(time.Second)
	for range 3 {
		proven, err := p.Confirm(t.Context(), chain, clock.Now().Add(-time.Millisecond))
		require.NoError(t, err)
		assert.True(t, proven)
	}
	_, writes := leases.count()
	assert.Equal(t, 2, writes)
}

// TestRenewalWhoseAnswerWasLost is known by what it has written.
func TestRenewalWhoseAnswerWasLost(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "a")
	p.becomes(t, fleet.LeaseHeld)
	_, chain := p.Latest()
	leases.change(func() { leases.lost = true })
	clock.Step(time.Second)
	_, err := p.Confirm(t.Context(), chain, clock.Now().Add(-time.Millisecond))
	require.ErrorIs(t, err, errCut)
	clock.Step(time.Second)
	proven, err := p.Confirm(t.Context(), chain, clock.Now().Add(-time.Millisecond))
	require.NoError(t, err)
	assert.True(t, proven)
}

func TestWhoAwaitsAClusterLearnsWhy(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	p := newProcess(t, clock, &leases{}, "a")
	p.becomes(t, fleet.LeaseHeld)
	require.NoError(t, p.Await(t.Context(), func(error) { assert.Fail(t, "it can be reached") }))
	p.gate.Close(errCut)
	said := make(chan error, 1)
	back := make(chan error, 1)
	go func() { back <- p.Await(t.Context(), func(err error) { said <- err }) }()
	require.True(t, fleet.IsUnreachable(<-said))
	after(t, clock, time.Second, func() bool { return len(back) == 1 })
	require.NoError(t, <-back)
}
