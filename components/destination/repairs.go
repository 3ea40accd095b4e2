package destination

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// immediateRepairs is how many repairs of a copy are immediate.
	immediateRepairs = 3
	// firstPause and longestPause are the shortest and the longest time between two repairs after those.
	firstPause   = 2 * time.Second
	longestPause = 30 * time.Second
	// quietTime is the time without a repair after which the repairs of a copy are forgotten.
	quietTime = 10 * time.Minute
)

// repairs is the backoff of repairs, per copy. Only copies that have drifted are remembered.
type repairs struct {
	clock  func() time.Time
	copies map[types.NamespacedName]*repair
	// expiry is when to look for what can be forgotten.
	expiry time.Time
}

// repair is what is remembered of the repairs of one copy.
type repair struct {
	// count is the number of repairs, of which each came less than quietTime after the one before.
	count int
	// last is when the last repair was made or, if there was none, when the copy drifted.
	last time.Time
	// delayed reports whether the next repair has to wait, and renewed whether the last repair had to.
	delayed, renewed bool
	// cause is what the next repair is to undo or, if undone is set, what the last repair has undone.
	cause  drift
	undone bool
}

func newRepairs(clock func() time.Time) *repairs {
	return &repairs{clock: clock, copies: map[types.NamespacedName]*repair{}}
}

// drifted notes what somebody else did to the copy. An unknown field manager does not replace a known one whose change has
// not been undone yet.
func (r *repairs) drifted(at types.NamespacedName, cause drift) {
	r.expire()
	of, found := r.copies[at]
	if !found {
		of = &repair{last: r.clock(), undone: true}
		r.copies[at] = of
	}
	if cause != (drift{}) || of.undone {
		of.cause, of.undone = cause, false
	}
}

// pause returns how long the next repair of the copy has to wait.
func (r *repairs) pause(at types.NamespacedName) time.Duration {
	of, found := r.copies[at]
	if !found {
		return 0
	}
	return max(0, of.last.Add(pauseAfter(of.count)).Sub(r.clock()))
}

// pauseAfter returns the pause after so many repairs.
// Example: 0, 0, 0, 2 s, 4 s, 8 s, 16 s, 30 s, 30 s.
func pauseAfter(repairs int) time.Duration {
	pause := time.Duration(0)
	for n := immediateRepairs; n <= repairs && pause < longestPause; n++ {
		pause = max(firstPause, 2*pause)
	}
	return min(pause, longestPause)
}

// delay notes that the next repair of the copy waits for its pause to pass.
func (r *repairs) delay(at types.NamespacedName) {
	if of, found := r.copies[at]; found {
		of.delayed = true
	}
}

// repaired counts a repair of the copy, and returns what it has undone.
func (r *repairs) repaired(at types.NamespacedName) drift {
	of, found := r.copies[at]
	if !found {
		of = &repair{}
		r.copies[at] = of
	}
	now := r.clock()
	if now.Sub(of.last) >= quietTime {
		*of = repair{cause: of.cause}
	}
	of.count, of.last = of.count+1, now
	of.renewed, of.delayed, of.undone = of.delayed, false, true
	return of.cause
}

// backingOff reports whether the repairs of the copy back off, and returns what somebody keeps doing to it: the next or the
// last repair had to wait, and the pause has not passed yet. That holds for a copy that is in sync, too.
func (r *repairs) backingOff(at types.NamespacedName) (drift, bool) {
	of, found := r.copies[at]
	if !found || !of.delayed && !of.renewed || r.pause(at) == 0 {
		return drift{}, false
	}
	return of.cause, true
}

func (r *repairs) forget(at types.NamespacedName) { delete(r.copies, at) }

// expire forgets the copies without a repair for quietTime. It looks for them at most once in quietTime.
func (r *repairs) expire() {
	now := r.clock()
	if now.Before(r.expiry) {
		return
	}
	kept := make(map[types.NamespacedName]*repair)
	for at, of := range r.copies {
		if now.Sub(of.last) < quietTime {
			kept[at] = of
		}
	}
	r.copies, r.expiry = kept, now.Add(quietTime)
}
