package crash_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/failpoint"
)

// maxWrites is more than any story takes.
const maxWrites = 25

// TestKilledAtEveryWrite kills the operator at the first write of each story, at the second, and so on until the story
// ends before the operator does. Then the world changes, or not, and a fresh operator starts.
func TestKilledAtEveryWrite(t *testing.T) {
	for i, story := range stories {
		for _, tier := range story.tiers {
			for j, mode := range []failpoint.Mode{failpoint.Before, failpoint.After} {
				t.Run(fmt.Sprintf("%s/%s/%s", story.name, tier, mode), func(t *testing.T) {
					t.Parallel()
					lane := fmt.Sprintf("%d-%s-%d", i, tier, j)
					var left []*world
					for write, done := 1, false; !done; write++ {
						require.Less(t, write, maxWrites, "the story does not end")
						for _, meanwhile := range []change{nothing, changes[(i+2*j+write)%len(changes)]} {
							w := newWorld(t, lane, tier)
							done = !killedAt(w, story, write, mode)
							t.Logf("%s: write %d, %s", w.id, write, meanwhile.name)
							meanwhile.make(w)
							left = append(left, w)
						}
					}
					successor := failpoint.Start(cluster.Config, func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + lane })
					defer successor.Kill()
					for _, w := range left {
						w.settles()
					}
				})
			}
		}
	}
}

// killedAt runs the story with an operator that is killed at its write of that number, and tells whether it came so far.
func killedAt(w *world, story story, write int, mode failpoint.Mode) bool {
	w.t.Helper()
	operator := failpoint.Start(cluster.Config, func(o *app.Options) { o.WatchLabelSelector = worldLabel + "=" + w.id })
	defer operator.Kill()
	story.given(w)
	w.settles()

	operator.Arm(write, mode)
	story.act(w)
	deadline := time.After(soon)
	for {
		select {
		case <-operator.Tripped():
			return true
		case <-deadline:
			require.FailNowf(w.t, "the story does not end", "%v", w.problems())
		case <-time.After(tick):
			if len(w.problems()) == 0 {
				return false
			}
		}
	}
}
