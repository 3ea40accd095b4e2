package projector

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// toldAtMost bounds what is remembered of a rule whose events do not come.
const toldAtMost = 16

// told remembers what this process has written about each rule: its statuses, or its records of kinds. It tells the events of its own writes from those
// of others: a former leader's, somebody's edit, or a write of its own that was given up and arrives late.
type told struct {
	seed maphash.Seed

	mu   sync.Mutex
	said map[types.NamespacedName][]uint64 // hashes, oldest first, from the one on that the last event showed
}

func newTold() *told {
	return &told{seed: maphash.MakeSeed(), said: map[types.NamespacedName][]uint64{}}
}

// says notes what is about to be written.
func (t *told) says(rule types.NamespacedName, what any) {
	hash := t.hash(what)
	t.mu.Lock()
	defer t.mu.Unlock()
	said := t.said[rule]
	if len(said) > 0 && said[len(said)-1] == hash {
		return
	}
	said = append(said, hash)
	t.said[rule] = said[max(0, len(said)-toldAtMost):]
}

// stands notes what needs no change. If it is not what was said last, what was said before counts no more.
func (t *told) stands(rule types.NamespacedName, what any) {
	hash := t.hash(what)
	t.mu.Lock()
	defer t.mu.Unlock()
	if said := t.said[rule]; len(said) == 0 || said[len(said)-1] != hash {
		t.said[rule] = []uint64{hash}
	}
}

// shows takes what an event shows, and tells whether it is ours.
func (t *told) shows(rule types.NamespacedName, what any) bool {
	hash := t.hash(what)
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.said[rule], hash)
	if i < 0 {
		return false
	}
	t.said[rule] = t.said[rule][i:]
	return true
}

// forget lets nothing count that was said of the rule.
func (t *told) forget(rule types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.said, rule)
}

func (t *told) hash(what any) uint64 {
	encoded, err := json.Marshal(what)
	if err != nil {
		panic(err) // it is made of strings, numbers and times
	}
	return maphash.Bytes(t.seed, encoded)
}
