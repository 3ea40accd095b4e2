package memory_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/projector/internal/memory"
)

// step is what happens to the status of a rule: a write of ours, a reconcile that has nothing to write, a write of ours that
// fails, or an event that shows what somebody wrote.
type step struct {
	records, confirms, fails, shows string
	others                          bool // what the event shows is not ours
}

func TestWhoWroteWhatAnEventShows(t *testing.T) {
	tests := map[string][]step{
		"our write":                          {{records: "a"}, {shows: "a"}},
		"written before this process began":  {{confirms: "a"}, {shows: "a"}},
		"never seen":                         {{shows: "a", others: true}},
		"an edit by a person":                {{records: "a"}, {shows: "a"}, {shows: "x", others: true}},
		"two writes, shown late":             {{records: "a"}, {records: "b"}, {shows: "a"}, {shows: "b"}},
		"two writes, shown after a read":     {{records: "a"}, {records: "b"}, {confirms: "b"}, {shows: "a"}, {shows: "b"}},
		"an earlier write after a later one": {{records: "a"}, {records: "b"}, {shows: "b"}, {shows: "a", others: true}},
		"a write that failed":                {{confirms: "a"}, {records: "b"}, {fails: "b"}, {confirms: "a"}, {shows: "b", others: true}},
		"a write after one that failed":      {{records: "a"}, {fails: "a"}, {records: "b"}, {shows: "b"}},
		"by a former leader":                 {{confirms: "a"}, {shows: "b", others: true}, {records: "a"}, {shows: "a"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			var writes memory.OwnWrites
			for i, step := range steps {
				switch {
				case step.records != "":
					writes.Record(memory.HashOf(step.records))
				case step.confirms != "":
					writes.Confirm(memory.HashOf(step.confirms))
				case step.fails != "":
					writes.Reset()
				default:
					assert.Equal(t, !step.others, writes.IsOurs(memory.HashOf(step.shows)), "step %d", i)
				}
			}
		})
	}
}

func TestOwnWritesAreBounded(t *testing.T) {
	var writes memory.OwnWrites
	for i := range 48 {
		writes.Record(memory.HashOf(strconv.Itoa(i)))
	}
	assert.False(t, writes.IsOurs(memory.HashOf("31")), "only the last 16 are remembered")
	assert.True(t, writes.IsOurs(memory.HashOf("32")))
	assert.True(t, writes.IsOurs(memory.HashOf("47")))
	assert.False(t, writes.IsOurs(memory.HashOf("46")), "an event has shown a later write")
}
