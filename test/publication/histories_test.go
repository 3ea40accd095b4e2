package publication_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/histories"
)

var chosen = histories.NewFlags(40, 1)

// history is a random history of some objects of the consumer, and of what the service does with their copies.
type history struct {
	*publishing

	rng    *rand.Rand
	scenes []*scene
	isCut  bool
	told   []string
}

// historyAction is something that happens to an object, its copy, or between the clusters, and how often it does.
type historyAction struct {
	name   string
	weight int
	act    func(*history, *scene)
}

var historyActions = []historyAction{
	{"create the object", 10, func(_ *history, s *scene) {
		if former := s.read(); former == nil || former.GetDeletionTimestamp() != nil {
			s.order()
		}
	}},
	{"edit the object", 10, func(h *history, s *scene) { s.patchIfThere(fmt.Sprintf(`{"spec": {"days": %d}}`, 1+h.rng.IntN(300))) }},
	{"rename its Secret", 4, func(h *history, s *scene) {
		s.patchIfThere(fmt.Sprintf(`{"spec": {"secretName": "%s-tls-%d"}}`, s.name, h.rng.IntN(3)))
	}},
	{"delete the object", 4, func(_ *history, s *scene) { s.cancel() }},
	{"have the service report", 12, func(h *history, s *scene) { s.report(h.rng.IntN(1000)) }},
	{"change the Secret of the consumer", 6, func(h *history, s *scene) {
		s.secret(member, s.there.Home, s.name, fmt.Sprint("password ", h.rng.IntN(1000)))
	}},
	{"delete the copy", 3, func(_ *history, s *scene) {
		for _, copied := range s.copies(s.object()) {
			s.deleteIfThere(copied)
		}
	}},
	{"cut the consumer off, or heal it", 6, func(h *history, _ *scene) {
		if h.isCut {
			h.heal()
			return
		}
		h.isCut = true
		h.relay.Switch("127.0.0.1:1")
	}},
	{"restart the operator", 2, func(h *history, _ *scene) {
		require.NoError(h.T, operator.Stop())
		_, err := start()
		require.NoError(h.T, err)
	}},
}

// quietAfter is how many steps there are between two quiet points.
const quietAfter = 10

// TestHistories makes random histories. At quiet points, each object has one copy, whose spec and related objects are those of the object, which has the
// status of the copy. One that fails is printed, and can be made again with its -seed.
func TestHistories(t *testing.T) {
	for _, seed := range chosen.Seeds() {
		t.Run(chosen.Name(seed), func(t *testing.T) {
			h := newHistory(t, seed)
			for step := range *chosen.Steps {
				h.step()
				if step%quietAfter == quietAfter-1 {
					h.quiet()
				}
			}
		})
	}
}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{publishing: newPublishing(t), rng: rand.New(rand.NewPCG(seed, seed))}
	t.Cleanup(h.heal) // before the RemoteCluster goes
	h.publish(withRelated)
	for _, name := range []string{"one", "two", "three"} {
		s := &scene{publishing: h.publishing, name: name}
		s.secret(member, s.there.Home, name, "first")
		h.scenes = append(h.scenes, s)
	}
	return h
}

// step does one of the actions.
func (h *history) step() {
	action := histories.Choose(h.rng, historyActions, func(a historyAction) int { return a.weight })
	at := h.scenes[h.rng.IntN(len(h.scenes))]
	h.told = append(h.told, fmt.Sprintf("%3d %s: %s", len(h.told)+1, at.name, action.name))
	action.act(h, at)
}

func (h *history) heal() {
	h.isCut = false
	h.relay.Switch(h.target.Host)
}

// quiet heals the connection, and waits until everything is as the objects and their copies ask.
func (h *history) quiet() {
	h.T.Helper()
	h.heal()
	h.told = append(h.told, "    quiet")
	require.EventuallyWithT(h.T, func(c *assert.CollectT) {
		for _, s := range h.scenes {
			assert.Empty(c, s.Problems(), "%s\n%s", s.name, strings.Join(h.told, "\n"))
		}
	}, 2*env.Timeout, env.Interval)
}
