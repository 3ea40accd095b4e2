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

// told remembers what this process has said in the status of each rule. It tells the events of its own writes from those
// of others: a former leader's, somebody's edit, or a write of its own that was given up and arrives late.
type told struct {
	seed maphash.Seed

	mu       sync.Mutex
	statuses map[types.NamespacedName][]uint64 // hashes, oldest first, from the one on that the last event showed
}

func newTold() *told {
	return &told{seed: maphash.MakeSeed(), statuses: map[types.NamespacedName][]uint64{}}
}

// says notes a status that is about to be written.
func (t *told) says(rule types.NamespacedName, status any) {
	hash := t.hash(status)
	t.mu.Lock()
	defer t.mu.Unlock()
	said := t.statuses[rule]
	if len(said) > 0 && said[len(said)-1] == hash {
		return
	}
	said = append(said, hash)
	t.statuses[rule] = said[max(0, len(said)-toldAtMost):]
}

// stands notes that a status needs no change. If it is not what was said last, what was said before counts no more.
func (t *told) stands(rule types.NamespacedName, status any) {
	hash := t.hash(status)
	t.mu.Lock()
	defer t.mu.Unlock()
	if said := t.statuses[rule]; len(said) == 0 || said[len(said)-1] != hash {
		t.statuses[rule] = []uint64{hash}
	}
}

// shows takes the status that an event shows, and tells whether it is one of ours.
func (t *told) shows(rule types.NamespacedName, status any) bool {
	hash := t.hash(status)
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.statuses[rule], hash)
	if i < 0 {
		return false
	}
	t.statuses[rule] = t.statuses[rule][i:]
	return true
}

// forget lets nothing count that was said of the rule.
func (t *told) forget(rule types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.statuses, rule)
}

func (t *told) hash(status any) uint64 {
	encoded, err := json.Marshal(status)
	if err != nil {
		panic(err) // a status is made of strings, numbers and times
	}
	return maphash.Bytes(t.seed, encoded)
}
