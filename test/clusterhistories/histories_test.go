package clusterhistories_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"projection.sh/operator/test/env"
)

// action is something that happens in histories, and how often it does.
type action struct {
	weight int
	act    func(*history)
}

var actions = []action{
	{8, (*history).putNamespace},
	{18, (*history).putSource},
	{4, (*history).deleteSource},
	{14, (*history).putPush},
	{12, (*history).putPull},
	{4, (*history).deleteRule},
	{5, (*history).putForeign},
	{5, (*history).deleteForeign},
	{5, (*history).editCopy},
	{5, (*history).deleteCopy},
	{2, (*history).deleteNamespace},
	{8, (*history).cut},
	{3, (*history).pause},
	{4, (*history).relabel},
	{3, (*history).exchange},
	{2, (*history).undeclare},
	{2, (*history).restart},
	{8, (*history).settle},
}

// quietAfter is how many steps there are between two quiet points.
const quietAfter = 15

// TestHistories makes random histories. One that fails is printed, and can be made again with its -seed.
func TestHistories(t *testing.T) {
	for _, seed := range seedsOfHistories() {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Logf("to make this history again: -run TestHistories -seed=%d -steps=%d", seed, *steps)
			h := newHistory(t, seed)
			defer h.end()
			for step := range *steps {
				h.step()
				if step%quietAfter == quietAfter-1 {
					h.quiet()
				}
			}
			h.quiet()
			h.silent()
			t.Log(h.story())
		})
	}
}

// seedsOfHistories returns the seeds that the flags ask for.
func seedsOfHistories() (seeds []uint64) {
	if *seed != 0 {
		return []uint64{*seed}
	}
	chosen := env.Seed()
	if *other {
		chosen = rand.Uint64()
	}
	for rng := rand.New(rand.NewPCG(chosen, 0)); len(seeds) < *count; {
		seeds = append(seeds, rng.Uint64N(1<<32))
	}
	return seeds
}

// step does one of the actions.
func (h *history) step() {
	total := 0
	for _, action := range actions {
		total += action.weight
	}
	n := h.rng.IntN(total)
	for _, action := range actions {
		if n -= action.weight; n < 0 {
			action.act(h)
			return
		}
	}
}
