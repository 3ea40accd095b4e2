package projector

import (
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "projection.sh/operator/api/v1"
)

// step is what happens to the status of a rule: a write of ours, a pass that has nothing to write, or an event that shows
// what somebody wrote.
type step struct {
	says, stands, fails, shows string
	others                     bool // what the event shows is not ours
}

func TestWhoseStatusAnEventShows(t *testing.T) {
	tests := map[string][]step{
		"our write":                                {{says: "a"}, {shows: "a"}},
		"one that was there when we came":          {{stands: "a"}, {shows: "a"}},
		"one that nobody has looked at":            {{shows: "a", others: true}},
		"somebody's edit":                          {{says: "a"}, {shows: "a"}, {shows: "x", others: true}},
		"two writes, shown late":                   {{says: "a"}, {says: "b"}, {shows: "a"}, {shows: "b"}},
		"two writes, shown after a pass":           {{says: "a"}, {says: "b"}, {stands: "b"}, {shows: "a"}, {shows: "b"}},
		"a write that was made before":             {{says: "a"}, {says: "b"}, {shows: "b"}, {shows: "a", others: true}},
		"a write that we gave up":                  {{stands: "a"}, {says: "b"}, {fails: "b"}, {stands: "a"}, {shows: "b", others: true}},
		"a write that we gave up, made good since": {{says: "a"}, {fails: "a"}, {says: "b"}, {shows: "b"}},
		"a former leader's":                        {{stands: "a"}, {shows: "b", others: true}, {says: "a"}, {shows: "a"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			told := newOwnWrites()
			for i, step := range steps {
				switch {
				case step.says != "":
					told.record(ruleKey, step.says)
				case step.stands != "":
					told.confirm(ruleKey, step.stands)
				case step.fails != "":
					told.forget(ruleKey)
				default:
					assert.Equal(t, !step.others, told.isOurs(ruleKey, step.shows), "step %d", i)
				}
			}
		})
	}
}

func TestWhatWasToldIsBounded(t *testing.T) {
	told := newOwnWrites()
	for i := range 3 * maxOwnWrites {
		told.record(ruleKey, strconv.Itoa(i))
	}
	assert.Len(t, told.written[ruleKey], maxOwnWrites)
	assert.True(t, told.isOurs(ruleKey, strconv.Itoa(3*maxOwnWrites-1)))
	assert.Len(t, told.written[ruleKey], 1)
}

func TestStatusThatSomebodyElseHasWrittenIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, queued := newBench(t), newItems(t)
		c := &behind{cached: counting("1", 1)}
		b.deps.Client, b.latest.cache = c, c
		update := func(before, after *v1.ClusterProjection) {
			b.ruleEvents().Update(t.Context(), event.TypedUpdateEvent[*v1.ClusterProjection]{ObjectOld: before, ObjectNew: after}, queued)
		}
		p := b.pass(counting("1", 1))
		p.rule.Status.NamespacesWritten = new(int32(2))
		require.NoError(t, p.writeStatus(t.Context()))
		update(counting("1", 1), counting("2", 2))
		update(counting("2", 2), counting("3", 2))
		synctest.Wait()
		assert.Zero(t, queued.Len(), "it is ours")

		update(counting("3", 2), counting("4", 9))
		request, _ := queued.Get()
		assert.Equal(t, ruleKey, request.NamespacedName)
		queued.ShutDown()
	})
}
