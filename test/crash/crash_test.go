package crash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// TestKilledAtEveryWrite kills the operator at a write of each story: at any one, or at the first, at the second, and so on
// until the story ends before the operator does. Then the world changes, or not, and a fresh operator starts.
func TestKilledAtEveryWrite(t *testing.T) {
	eachStory(t, func(t *testing.T, lane, tier string, story story, mode failpoint.Mode) {
		t.Helper()
		choose := chooser(t)
		number := choose.IntN(len(changes))
		var left []*world
		atWrites(t, choose, 1, func(write int) (came bool, writes int) {
			meanwhile := []change{changes[(number+write)%len(changes)]}
			if mode == failpoint.After {
				meanwhile = append(meanwhile, nothing)
			}
			if mode == failpoint.After && story.undo != nil {
				meanwhile[0] = change{"the story is undone", story.undo}
			}
			for _, change := range meanwhile {
				w := newWorld(t, lane, tier)
				came, writes = killedAt(w, story, write, mode)
				t.Logf("%s: write %d, %s", w.id, write, change.name)
				change.make(w)
				left = append(left, w)
			}
			return came, writes
		})
		successor := manager.Start(cluster.Config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane })
		defer successor.Kill()
		for _, w := range left {
			w.settles()
		}
	})
}

// TestConnectionLostAtEveryWrite breaks the connection of the operator at one write, and lets the same operator go on.
func TestConnectionLostAtEveryWrite(t *testing.T) {
	eachStory(t, func(t *testing.T, lane, tier string, story story, mode failpoint.Mode) {
		t.Helper()
		operator := manager.Start(cluster.Config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane })
		defer operator.Kill()
		atWrites(t, chooser(t), 1, func(write int) (came bool, writes int) {
			w := newWorld(t, lane, tier)
			story.given(w)
			w.settles()

			operator.ArmOnce(write, mode)
			story.act(w)
			came = w.trips(operator, w.hasSettled)
			w.settles()
			return came, operator.Writes()
		})
	})
}

// eachStory runs the function as a test of its own for each story, with one kind of rules and one end at which a connection breaks, which are chosen;
// with -thorough, with all of them.
func eachStory(t *testing.T, run func(t *testing.T, lane, tier string, story story, mode failpoint.Mode)) {
	t.Helper()
	t.Parallel()
	choose := chooser(t)
	for i, story := range slices.Concat(stories, mergeStories, rolloutStories, selectedStories, nameStories) {
		chosenTier := choose.IntN(len(story.tiers))
		for k, tier := range story.tiers {
			chosen := choose.IntN(2)
			for j, mode := range []failpoint.Mode{failpoint.Before, failpoint.After} {
				if (j != chosen || k != chosenTier) && !*thorough {
					continue
				}
				name := fmt.Sprintf("%s/%s/%s", story.name, tier, mode)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					run(t, fmt.Sprintf("%.4s-%d-%s-%d", strings.TrimPrefix(t.Name(), "Test"), i, tier, j), tier, story, mode)
				})
			}
		}
	}
}

// killedAt runs the story with an operator that is killed at its write of that number, and tells whether it came so far, and
// how many writes there were.
func killedAt(w *world, story story, write int, mode failpoint.Mode) (came bool, writes int) {
	w.T.Helper()
	operator := manager.Start(cluster.Config, func(o *app.Options) { o.WatchLabelSelector = worldLabel + "=" + w.id })
	defer operator.Kill()
	story.given(w)
	w.settles()

	operator.Arm(write, mode)
	story.act(w)
	came = w.trips(operator, w.hasSettled)
	return came, operator.Writes()
}

// hasSettled reports whether everything is as the rules and their sources ask.
func (w *world) hasSettled() bool { return len(w.problems()) == 0 }

// trips waits until the failpoint has tripped, or until the story has ended without. Then it does not trip later, either.
func (w *world) trips(operator *manager.InProcess, ended func() bool) bool {
	w.T.Helper()
	deadline := time.After(timeout)
	for {
		select {
		case <-operator.Tripped():
			return true
		case <-deadline:
			require.FailNowf(w.T, "the story does not end", "%v", w.problems())
		case <-time.After(interval):
			if ended() && operator.Disarm() {
				return false
			}
		}
	}
}
