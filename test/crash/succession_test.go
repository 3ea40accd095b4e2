package crash_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/failpoint"
)

// TestLeaderChangesAtEveryWrite cuts the leader off at a write of each story: at any one, or at the first, at the second, and
// so on until the story ends before it. Another replica, which has stood by with its caches in sync, takes over, and leads the next time.
func TestLeaderChangesAtEveryWrite(t *testing.T) {
	eachStory(t, func(t *testing.T, lane, tier string, story story, mode failpoint.Mode) {
		t.Helper()
		step := 1
		if mode == failpoint.Before {
			step = 2 // a successor finds what it finds after the write before
		}
		r := newReplicas(newWorld(t, lane, tier))
		atWrites(t, chooser(t), step, func(write int) (came bool, writes int) { return r.changesAt(story, write, mode) })
	})
}

// changesAt runs the story with a leader that is cut off at its write of that number, and tells whether it came so far, and
// how many writes there were.
func (r *replicas) changesAt(story story, write int, mode failpoint.Mode) (came bool, writes int) {
	r.T.Helper()
	for {
		w := newWorld(r.T, r.lane, r.tier)
		story.given(w)
		w.settles()
		r.standsBy()

		led := r.holder()
		r.first.Arm(write, mode)
		story.act(w)
		came, writes = w.trips(r.first, w.hasSettled), r.first.Writes()
		if came {
			r.takesOver(led)
		}
		w.settles()
		if came || !r.retires() {
			return came, writes
		}
	}
}

// retires replaces the first if it has ended by itself: a busy machine let it renew its lease too late, and the second has
// led. It tells whether that was so.
func (r *replicas) retires() bool {
	select {
	case <-r.first.Ended():
		r.first, r.second = r.second, r.join()
		return true
	default:
		return false
	}
}

// standsBy waits until the second has all of its caches in sync.
func (r *replicas) standsBy() {
	r.T.Helper()
	select {
	case <-r.second.Standing():
	case <-r.second.Ended():
		require.Fail(r.T, "the standby has ended", "%v", r.second.Stop())
	case <-time.After(timeout):
		require.Fail(r.T, "the standby does not stand for election")
	}
}

// takesOver waits until the second leads and the first has noticed that it does not, and lets another one stand by.
func (r *replicas) takesOver(led string) {
	r.T.Helper()
	r.succeeds(led)
	select {
	case <-r.first.Ended():
	case <-time.After(timeout):
		require.Fail(r.T, "the former leader goes on")
	}
	r.first, r.second = r.second, r.join()
}
