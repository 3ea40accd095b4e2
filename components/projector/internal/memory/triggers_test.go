package memory_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/watch"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestEarliestTriggerCounts(t *testing.T) {
	var triggers memory.Triggers
	triggers.Add(memory.Triggers{watch.SourceChanged: now.Add(time.Second)})
	triggers.Add(memory.Triggers{watch.SourceChanged: now})
	triggers.Add(memory.Triggers{watch.SourceChanged: now.Add(2 * time.Second), watch.RuleChanged: now.Add(3 * time.Second)})
	assert.Equal(t, memory.Triggers{watch.SourceChanged: now, watch.RuleChanged: now.Add(3 * time.Second)}, triggers)
}

func TestTriggersAreTakenOnceAndCanBeGivenBack(t *testing.T) {
	var triggers memory.Triggers
	triggers.Add(memory.Triggers{watch.SourceChanged: now})
	taken := triggers.Take()
	assert.Len(t, taken, 1)
	assert.Empty(t, triggers.Take())

	triggers.Add(memory.Triggers{watch.SourceChanged: now.Add(time.Minute), watch.CopyChanged: now.Add(time.Minute)})
	triggers.Add(taken)
	assert.Equal(t, memory.Triggers{watch.SourceChanged: now, watch.CopyChanged: now.Add(time.Minute)}, triggers)

	triggers.Take()
	triggers.Add(nil)
	assert.Nil(t, triggers, "nothing is held for a rule without triggers")
}
