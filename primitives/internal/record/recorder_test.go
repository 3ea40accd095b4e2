package record_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/internal/record"
)

func TestOrder(t *testing.T) {
	var log []string
	r := &record.Recorder{}
	first := record.NewEdits(r, &log)
	var batches [][]string
	second := record.NewCategory(r, func(words []string) error {
		batches = append(batches, words)
		log = append(log, words...)
		return nil
	})
	says := func(word string) func(*[]string) { return func(log *[]string) { *log = append(*log, word) } }

	second.Record("b1")
	first.RecordCall(says("a1"))
	first.Record(nil)
	second.Record("b2")
	r.NextFeature()
	r.NextFeature()
	second.Record("b3")
	first.RecordCall(says("a2"))
	first.RecordCall(says("a3"))
	assert.Empty(t, log, "nothing happens before Apply")

	require.NoError(t, r.Apply())
	want := []string{"a1", "b1", "b2", "a2", "a3", "b3"}
	assert.Equal(t, want, log)
	assert.Equal(t, [][]string{{"b1", "b2"}, {"b3"}}, batches, "once for each feature that has edits")
	require.NoError(t, r.Apply())
	assert.Equal(t, append(want, want...), log, "nothing is forgotten")
}

func TestFirstErrorEndsApply(t *testing.T) {
	boom := errors.New("boom")
	r := &record.Recorder{}
	edits := record.NewEdits(r, t)
	later := record.NewEdits(r, t)
	unreached := func(t *testing.T) { t.Helper(); t.Error("reached") }
	edits.Record(func(*testing.T) error { return boom })
	edits.RecordCall(unreached)
	later.RecordCall(unreached)
	r.NextFeature()
	edits.RecordCall(unreached)
	assert.Same(t, boom, r.Apply())
}
