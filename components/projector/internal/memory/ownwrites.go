package memory

import (
	"encoding/json"
	"hash/maphash"
	"slices"
)

// maxOwnWrites bounds what is remembered of a rule whose events do not arrive.
const maxOwnWrites = 16

// OwnWrites remembers what this process has written to one field of a rule. It tells the events of these writes from those of
// others: of a former leader, of a person, or of a write of its own that failed and was made all the same.
type OwnWrites struct {
	hashes []Hash // the oldest first; the first is the one that the last event had
}

// Hash stands for a value that was written.
type Hash uint64

var seed = maphash.MakeSeed()

// HashOf returns the hash of a value that can be encoded as JSON.
func HashOf(value any) Hash {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // statuses and annotations are made of strings, numbers and times
	}
	return Hash(maphash.Bytes(seed, encoded))
}

// Record notes a value that is about to be written.
func (w *OwnWrites) Record(value Hash) {
	if w.isLast(value) {
		return
	}
	w.hashes = append(w.hashes, value)
	w.hashes = w.hashes[max(0, len(w.hashes)-maxOwnWrites):]
}

// Confirm notes a value that the rule has and that needs no change. If it is not the last one written, somebody else has
// written it since, and earlier writes are forgotten.
func (w *OwnWrites) Confirm(value Hash) {
	if !w.isLast(value) {
		w.hashes = []Hash{value}
	}
}

// IsOurs takes the value that an event shows, and reports whether this process has written it. Events arrive in the order of
// the writes, so earlier writes are forgotten.
func (w *OwnWrites) IsOurs(value Hash) bool {
	i := slices.Index(w.hashes, value)
	if i < 0 {
		return false
	}
	w.hashes = w.hashes[i:]
	return true
}

// Reset forgets all writes. It is called when a write failed: it may have been made all the same.
func (w *OwnWrites) Reset() { w.hashes = nil }

func (w *OwnWrites) isLast(value Hash) bool {
	return len(w.hashes) > 0 && w.hashes[len(w.hashes)-1] == value
}
