package projector

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/watch"
)

func TestEarliestCauseCounts(t *testing.T) {
	c, rule := newTriggers(), types.NamespacedName{Name: "rule"}
	c.note(rule, watch.SourceChanged, now.Add(time.Second))
	c.note(rule, watch.SourceChanged, now)
	c.note(rule, watch.SourceChanged, now.Add(2*time.Second))
	c.note(rule, watch.RuleChanged, now.Add(3*time.Second))
	assert.Equal(t, map[watch.Trigger]time.Time{watch.SourceChanged: now, watch.RuleChanged: now.Add(3 * time.Second)}, c.take(rule))
}

func TestCausesAreTakenOnce(t *testing.T) {
	c, rule, other := newTriggers(), types.NamespacedName{Name: "rule"}, types.NamespacedName{Name: "other"}
	c.note(rule, watch.RuleChanged, now)
	c.note(other, watch.CopyChanged, now)
	assert.Len(t, c.take(rule), 1)
	assert.Empty(t, c.take(rule))
	assert.Equal(t, map[watch.Trigger]time.Time{watch.CopyChanged: now}, c.take(other), "each rule has its own")
	assert.Empty(t, c.pending)
}

func TestRestoredCausesMeetNewOnes(t *testing.T) {
	c, rule := newTriggers(), types.NamespacedName{Name: "rule"}
	c.note(rule, watch.SourceChanged, now)
	taken := c.take(rule)
	c.note(rule, watch.SourceChanged, now.Add(time.Minute))
	c.note(rule, watch.CopyChanged, now.Add(time.Minute))
	c.restore(rule, taken)
	assert.Equal(t, map[watch.Trigger]time.Time{watch.SourceChanged: now, watch.CopyChanged: now.Add(time.Minute)}, c.take(rule))

	c.restore(rule, nil)
	assert.Empty(t, c.pending, "nothing is held for a rule without causes")
}

func TestCausesOfManyAtOnce(t *testing.T) {
	c := newTriggers()
	var keys sync.WaitGroup
	for i := range 16 {
		keys.Go(func() {
			rule := types.NamespacedName{Name: strconv.Itoa(i % 4)}
			for range 100 {
				c.note(rule, watch.SourceChanged, now)
				c.restore(rule, c.take(rule))
			}
		})
	}
	keys.Wait()
	for i := range 4 {
		assert.Equal(t, map[watch.Trigger]time.Time{watch.SourceChanged: now}, c.take(types.NamespacedName{Name: strconv.Itoa(i)}))
	}
}
