package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWhoInsistsIsAnsweredMoreAndMoreSeldom(t *testing.T) {
	at := now
	c := newRepairBackoff(10*time.Second, func() time.Time { return at })
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second} {
		delay := c.delay(ruleKey)
		assert.Equal(t, want, delay)
		at = at.Add(2 * delay) // the one answers the other
	}
	at = at.Add(time.Minute)
	assert.Equal(t, firstStatusRepair, c.delay(ruleKey), "it was long ago")

	c.forget(ruleKey)
	assert.Equal(t, firstStatusRepair, c.delay(ruleKey))
	assert.Len(t, c.last, 1)
}
