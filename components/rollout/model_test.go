package rollout_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/intstr"

	"projection.sh/operator/components/rollout"
)

// object is a copy as the API server has it. A zero version: there is none.
type object struct {
	wave, version int
	changed       time.Time
	left          bool // nothing can be changed there
	sick          bool // its status says that it is not healthy
}

// world is the copies of a rule, and a process that asks whose turn it is.
type world struct {
	t       *testing.T
	r       *rand.Rand
	s       rollout.Strategy
	clock   time.Time
	copies  []object
	wanted  int
	refuses map[int]bool
	heals   bool // whether each copy that is written becomes healthy
	// What the process remembers: successes with the wanted content, failed copies, when these may be tried again, and requests whose results are
	// not known.
	window int
	failed map[int]bool
	next   map[int]time.Time
	busy   map[int]bool
	// examined are the copies that the process has looked at, by when they were changed: whether they have shown that they are ready.
	examined map[int]examination
}

// TestLawsOfRollouts lets random things happen, and looks at each write. Whoever is asked keeps nothing over a restart.
func TestLawsOfRollouts(t *testing.T) {
	for seed := range uint64(150) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			w := newWorld(t, seed)
			for range 150 {
				w.happen()
				w.step()
			}
			w.settles()
		})
	}
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ready := []time.Duration{time.Duration(r.IntN(3)) * 5 * time.Second, 0, time.Duration(r.IntN(2)) * 30 * time.Second}
	w := &world{t: t, r: r, clock: now, wanted: 1, refuses: map[int]bool{}, s: rollout.Strategy{
		MinReady:       func(wave int) time.Duration { return ready[wave] },
		MaxUnavailable: []*intstr.IntOrString{nil, limit("1"), limit("2"), limit("40%")}[r.IntN(4)],
		MaxFailures:    []*intstr.IntOrString{nil, limit("1"), limit("30%")}[r.IntN(3)],
		Deadline:       []time.Duration{0, 20 * time.Second, time.Minute}[r.IntN(3)],
	}}
	for range 1 + r.IntN(12) {
		w.copies = append(w.copies, object{wave: r.IntN(3)})
	}
	w.restart()
	return w
}

func (w *world) restart() {
	w.window, w.failed, w.next, w.busy = 1, map[int]bool{}, map[int]time.Time{}, map[int]bool{}
	w.examined = map[int]examination{}
}

// happen lets something happen, or nothing.
func (w *world) happen() {
	at := w.r.IntN(len(w.copies))
	switch w.r.IntN(16) {
	case 0:
		w.edit(w.wanted + 1)
	case 1:
		w.edit(max(1, w.wanted-1)) // a revert
	case 2:
		w.restart()
	case 3, 4:
		w.refuses[at] = !w.refuses[at]
	case 5:
		w.copies[at].wave = w.r.IntN(3)
	case 6:
		w.s.MaxUnavailable = []*intstr.IntOrString{limit("1"), limit("3"), limit("40%")}[w.r.IntN(3)]
	case 9:
		w.copies[at].left = !w.copies[at].left
	case 7:
		w.copies = append(w.copies, object{wave: w.r.IntN(3)})
	case 8: // somebody deletes a copy, or changes it, and it is written at once
		w.write(at)
		delete(w.failed, at)
	case 10, 11:
		w.copies[at].sick = !w.copies[at].sick
	default:
		w.clock = w.clock.Add(time.Duration(w.r.IntN(20000)) * time.Millisecond)
	}
}

func (w *world) edit(version int) {
	if version != w.wanted {
		w.wanted, w.window, w.failed, w.next = version, 1, map[int]bool{}, map[int]time.Time{}
	}
}

// second is the time that the API server writes into managedFields.
func (w *world) second() time.Time { return w.clock.Truncate(time.Second) }

func (w *world) targets() []rollout.Target {
	targets := make([]rollout.Target, len(w.copies))
	for i, c := range w.copies {
		target := rollout.Target{Wave: c.wave, State: rollout.Waiting, Changed: c.changed, Busy: w.busy[i]}
		switch {
		case c.left:
			target.State = rollout.Left
		case c.version == w.wanted:
			target.State = rollout.Updated
		case w.failed[i]:
			target.State, target.Tried = rollout.Failed, w.next[i].After(w.clock)
		}
		targets[i] = target
	}
	w.examine(targets)
	return targets
}

// step asks whose turn it is, writes, and asks again, as one reconcile does.
func (w *world) step() {
	for {
		turn := w.s.Decide(w.targets(), w.window, w.clock)
		if len(turn.Next) == 0 {
			return
		}
		for _, i := range turn.Next {
			w.begin(i)
		}
		for i := range w.copies {
			if w.busy[i] && w.r.IntN(10) > 0 { // else it is slow, and ends in a later step
				w.end(i)
			}
		}
	}
}

// begin checks that a write may begin.
func (w *world) begin(i int) {
	wave := w.copies[i].wave
	require.False(w.t, w.busy[i], "a second request for copy %d", i)
	for j, c := range w.copies {
		if c.wave < wave && !c.left && !w.failed[j] {
			require.True(w.t, c.version == w.wanted && !w.isUnavailable(j), "wave %d begins before wave %d is finished", wave, c.wave)
		}
	}
	for earlier := range wave {
		require.LessOrEqual(w.t, w.failedIn(earlier), w.allowedIn(earlier), "wave %d begins though wave %d is held", wave, earlier)
	}
	require.True(w.t, w.failed[i] || w.failedIn(wave) <= w.allowedIn(wave), "copy %d is written in a held wave", i)
	was := w.isUnavailable(i)
	w.busy[i] = true
	if w.s.MaxUnavailable == nil {
		return
	}
	limit := max(1, w.share(w.s.MaxUnavailable, wave))
	changing := w.count(wave, func(i int) bool { return w.busy[i] || w.copies[i].version == w.wanted && w.isUnavailable(i) })
	require.LessOrEqual(w.t, changing, limit, "too many copies of wave %d change", wave)
	if !was {
		require.LessOrEqual(w.t, w.unavailableIn(wave), limit, "too many copies of wave %d are unavailable", wave)
	}
}

func (w *world) end(i int) {
	delete(w.busy, i)
	if w.refuses[i] {
		w.failed[i], w.next[i] = true, w.clock.Add(time.Second)
		return
	}
	delete(w.failed, i)
	w.write(i)
	w.window++
}

func (w *world) isUnavailable(i int) bool {
	c := w.copies[i]
	young := w.s.MinReady(c.wave) > 0 && !c.changed.IsZero() && w.clock.Sub(c.changed) < w.s.MinReady(c.wave)
	sick, since := w.isSick(i)
	if sick && since >= w.s.Deadline+time.Second && c.version == w.wanted {
		return w.busy[i]
	}
	return w.busy[i] || young || sick && since < w.s.Deadline
}

func (w *world) count(wave int, holds func(i int) bool) (count int) {
	for i, c := range w.copies {
		if c.wave == wave && !c.left && holds(i) {
			count++
		}
	}
	return count
}

func (w *world) unavailableIn(wave int) int { return w.count(wave, w.isUnavailable) }

func (w *world) failedIn(wave int) int {
	return w.count(wave, func(i int) bool {
		if w.copies[i].version != w.wanted {
			return w.failed[i]
		}
		sick, since := w.isSick(i)
		return sick && since >= w.s.Deadline+time.Second
	})
}

func (w *world) allowedIn(wave int) int { return w.share(w.s.MaxFailures, wave) }

// share returns what a limit means for a wave.
func (w *world) share(limit *intstr.IntOrString, wave int) int {
	switch size := w.count(wave, func(int) bool { return true }); {
	case limit == nil:
		return 0
	case limit.Type == intstr.Int:
		return limit.IntValue()
	default:
		percent := 0
		_, err := fmt.Sscanf(limit.StrVal, "%d%%", &percent)
		require.NoError(w.t, err)
		return size * percent / 100
	}
}

// settles lets nothing happen but time. A held rollout stays as it is, over a restart, too. Then nothing is failed any more, and it ends.
func (w *world) settles() {
	for i := range w.busy {
		w.end(i)
	}
	w.restart() // whoever has joined a wave that was held is tried once more
	w.settle()
	turn := w.s.Decide(w.targets(), w.window, w.clock)
	held := turn.Held
	for i, c := range w.copies {
		require.True(w.t, held || turn.Done && !turn.Finished || c.left || c.version == w.wanted || w.failed[i], "copy %d waits though nothing holds it", i)
	}
	before, refused := versions(w.copies), len(w.failed)
	w.restart()
	w.settle()
	if held && (refused == 0 || w.s.Deadline == 0) { // which copies were refused is not known after a restart until they are tried again
		require.Equal(w.t, before, versions(w.copies), "a restart changes copies of a rollout that is held")
	}
	clear(w.refuses)
	for i := range w.copies {
		w.copies[i].sick = false
	}
	w.heals = true
	w.settle()
	for i, c := range w.copies {
		require.True(w.t, c.left || c.version == w.wanted, "copy %d waits for ever", i)
	}
}

// settle lets time pass until nobody's turn is due any more.
func (w *world) settle() {
	for range 10 * len(w.copies) {
		w.step()
		for i := range w.busy {
			w.end(i)
		}
		if turn := w.s.Decide(w.targets(), w.window, w.clock); !turn.Again.IsZero() {
			w.clock = turn.Again
		} else if len(w.next) > 0 {
			w.clock = w.clock.Add(time.Second)
		}
	}
}

func versions(copies []object) []int {
	versions := make([]int, len(copies))
	for i, c := range copies {
		versions[i] = c.version
	}
	return versions
}
