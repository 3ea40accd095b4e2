package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/test/failpoint"
)

// TestCopiesThatSwapTheirNamesAreNotDeleted kills the operator at each write while two selected sources swap the names of their copies, and while one
// leaves its name to the other: copies whose names stay wanted are written over.
func TestCopiesThatSwapTheirNamesAreNotDeleted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b string // the names before
		act  func(*world)
	}{
		"swap":      {"x", "y", func(w *world) { w.color("b", "x"); w.color("a", "y") }},
		"leave":     {"x", "x", func(w *world) { w.editShared("a", withoutShare) }},
		"take over": {"y", "x", func(w *world) { w.color("a", "x") }},
	} {
		for _, mode := range []failpoint.Mode{failpoint.Before, failpoint.After} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				for write, came := 1, true; came; write++ {
					w := newWorld(t, "names-swap", bothTiers[1])
					before := map[string]types.UID{}
					came, _ = killedAt(w, story{
						given: named(test.a, test.b),
						act: func(w *world) {
							for _, copied := range w.copies(one) {
								before[copied.GetName()] = copied.GetUID()
							}
							test.act(w)
						},
					}, write, mode)
					successor := w.serveWorld()
					w.settles()
					for _, copied := range w.copies(one) {
						if uid, was := before[copied.GetName()]; was {
							assert.Equal(t, uid, copied.GetUID(), "%s: the copy %s was created again after write %d", w.id, copied.GetName(), write)
						}
					}
					successor.Kill()
				}
			})
		}
	}
}
