package destination

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

// timer is a clock that the test sets.
type timer struct{ now time.Time }

func newTimer() *timer { return &timer{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *timer) clock() time.Time { return c.now }

func (c *timer) after(d time.Duration) { c.now = c.now.Add(d) }

func TestPauseAfterRepairs(t *testing.T) {
	seconds := []int{0, 0, 0, 2, 4, 8, 16, 30, 30, 30}
	for repairs, want := range seconds {
		assert.InDelta(t, want, pauseAfter(repairs).Seconds(), 0, "after %d", repairs)
	}
	assert.Equal(t, 30*time.Second, pauseAfter(1_000_000))
}

// A copy that somebody changes again and again, each time so long after it was repaired.
func TestWhenACopyIsRepaired(t *testing.T) {
	const second, minute = time.Second, time.Minute
	tests := map[string]struct {
		drift  []time.Duration // after the repair before
		pauses []time.Duration
	}{
		"one change":                      {[]time.Duration{0}, []time.Duration{0}},
		"an answer to every repair":       {make([]time.Duration, 10), []time.Duration{0, 0, 0, 2 * second, 4 * second, 8 * second, 16 * second, 30 * second, 30 * second, 30 * second}},
		"an answer that takes a second":   {[]time.Duration{0, second, second, second, second}, []time.Duration{0, 0, 0, second, 3 * second}},
		"slower than the pauses":          {[]time.Duration{0, minute, minute, minute, minute, minute, minute, minute, minute}, make([]time.Duration, 9)},
		"quiet for nearly ten minutes":    {[]time.Duration{0, 0, 0, 10*minute - second, 0}, []time.Duration{0, 0, 0, 0, 4 * second}},
		"quiet for ten minutes":           {[]time.Duration{0, 0, 0, 10 * minute, 0, 0, 0}, []time.Duration{0, 0, 0, 0, 0, 0, 2 * second}},
		"quiet for ten minutes, later on": {[]time.Duration{0, 0, 0, 0, 0, 10 * minute, 0, 0, 0}, []time.Duration{0, 0, 0, 2 * second, 4 * second, 0, 0, 0, 2 * second}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock := newTimer()
			r := newRepairs(clock.clock)
			var pauses []time.Duration
			for _, d := range test.drift {
				clock.after(d)
				r.drifted(at, drift{})
				pause := r.pause(at)
				pauses = append(pauses, pause)
				clock.after(pause)
				assert.Zero(t, r.pause(at))
				r.repaired(at)
			}
			assert.Equal(t, test.pauses, pauses)
		})
	}
}

func TestCopyIsBackingOffFromTheFirstDelayUntilARepairHasLasted(t *testing.T) {
	clock := newTimer()
	r := newRepairs(clock.clock)
	backingOff := func() bool {
		_, found := r.backingOff(at)
		return found
	}
	for range immediateRepairs {
		r.drifted(at, drift{})
		r.repaired(at)
		assert.False(t, backingOff(), "whoever is answered at once may leave it at that")
	}
	r.drifted(at, drift{})
	r.delay(at)
	assert.True(t, backingOff())
	clock.after(2 * time.Second)
	r.repaired(at)
	assert.True(t, backingOff(), "it was answered so far")
	clock.after(4*time.Second - 1)
	assert.True(t, backingOff())
	clock.after(1)
	assert.False(t, backingOff())

	r.drifted(at, drift{})
	r.repaired(at)
	assert.False(t, backingOff(), "this repair had not to wait")
}

func TestWhoseChangeIsUndone(t *testing.T) {
	by := func(manager string) drift { return drift{changedBy: manager} }
	deletion := drift{deleted: true}
	tests := map[string]struct {
		drifts []drift
		undone drift
	}{
		"nobody is known":             {[]drift{{}}, drift{}},
		"one":                         {[]drift{by("a")}, by("a")},
		"the last one":                {[]drift{by("a"), by("b")}, by("b")},
		"one, and then nobody knows":  {[]drift{by("a"), {}}, by("a")},
		"a deletion":                  {[]drift{deletion}, deletion},
		"a change, and then deletion": {[]drift{by("a"), deletion}, deletion},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRepairs(newTimer().clock)
			r.drifted(at, by("earlier"))
			r.repaired(at)
			for _, d := range test.drifts {
				r.drifted(at, d)
			}
			assert.Equal(t, test.undone, r.repaired(at), "what was undone before does not count")
		})
	}
}

func TestRepairsAreForgotten(t *testing.T) {
	clock := newTimer()
	r := newRepairs(clock.clock)
	for i := range 1000 {
		r.drifted(types.NamespacedName{Namespace: strconv.Itoa(i), Name: "settings"}, drift{})
		r.repaired(types.NamespacedName{Namespace: strconv.Itoa(i), Name: "settings"})
	}
	clock.after(quietTime - 1)
	r.drifted(at, drift{})
	assert.Len(t, r.copies, 1001)
	clock.after(1)
	r.drifted(at, drift{})
	assert.Len(t, r.copies, 1, "what was quiet")
	r.forget(at)
	assert.Empty(t, r.copies)
}

// Others keep drifting, so that what is quiet is looked for at other times than ten minutes after the last repair of this copy.
func TestEachCopyHasItsOwnQuietTime(t *testing.T) {
	clock, other := newTimer(), types.NamespacedName{Namespace: "other", Name: "settings"}
	r := newRepairs(clock.clock)
	r.drifted(other, drift{})
	clock.after(quietTime - time.Minute)
	for range immediateRepairs {
		r.drifted(at, drift{})
		r.repaired(at)
	}
	clock.after(time.Minute)
	r.drifted(other, drift{})
	clock.after(quietTime - time.Minute)
	r.drifted(at, drift{})
	r.repaired(at)
	assert.Zero(t, r.pause(at), "it is the first repair again")
}
