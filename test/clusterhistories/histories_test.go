package clusterhistories_test

import (
	"testing"

	"projection.sh/operator/test/env/histories"
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
	{3, (*history).replace},
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
	for _, seed := range chosen.Seeds() {
		t.Run(chosen.Name(seed), func(t *testing.T) {
			h := newHistory(t, seed)
			defer h.end()
			for step := range *chosen.Steps {
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

// step does one of the actions.
func (h *history) step() {
	histories.Choose(h.rng, actions, func(a action) int { return a.weight }).act(h)
}
