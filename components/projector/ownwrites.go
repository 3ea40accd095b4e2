package projector

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// maxOwnWrites bounds what is remembered of a rule whose events do not come.
const maxOwnWrites = 16

// ownWrites remembers what this process has written about each rule: its statuses, or its records of kinds. It tells the events of its own writes from those
// of others: a former leader's, somebody's edit, or a write of its own that was given up and arrives late.
type ownWrites struct {
	seed maphash.Seed

	mu      sync.Mutex
	written map[types.NamespacedName][]uint64 // hashes, oldest first, from the one on that the last event showed
}

func newOwnWrites() *ownWrites {
	return &ownWrites{seed: maphash.MakeSeed(), written: map[types.NamespacedName][]uint64{}}
}

// record notes what is about to be written.
func (w *ownWrites) record(rule types.NamespacedName, what any) {
	hash := w.hash(what)
	w.mu.Lock()
	defer w.mu.Unlock()
	said := w.written[rule]
	if len(said) > 0 && said[len(said)-1] == hash {
		return
	}
	said = append(said, hash)
	w.written[rule] = said[max(0, len(said)-maxOwnWrites):]
}

// confirm notes what needs no change. If it is not what was said last, what was said before counts no more.
func (w *ownWrites) confirm(rule types.NamespacedName, what any) {
	hash := w.hash(what)
	w.mu.Lock()
	defer w.mu.Unlock()
	if said := w.written[rule]; len(said) == 0 || said[len(said)-1] != hash {
		w.written[rule] = []uint64{hash}
	}
}

// isOurs takes what an event shows, and tells whether it is ours.
func (w *ownWrites) isOurs(rule types.NamespacedName, what any) bool {
	hash := w.hash(what)
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.written[rule], hash)
	if i < 0 {
		return false
	}
	w.written[rule] = w.written[rule][i:]
	return true
}

// forget lets nothing count that was said of the rule.
func (w *ownWrites) forget(rule types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.written, rule)
}

func (w *ownWrites) hash(what any) uint64 {
	encoded, err := json.Marshal(what)
	if err != nil {
		panic(err) // it is made of strings, numbers and times
	}
	return maphash.Bytes(w.seed, encoded)
}
