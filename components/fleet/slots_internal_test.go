package fleet

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"
)

// TestSlotThatComesTooLateIsGivenBack has a request give up after it has got a slot, and before it has seen that.
func TestSlotThatComesTooLateIsGivenBack(t *testing.T) {
	slots := NewSlots(NewBudget(1, clock.RealClock{}), 2)
	for range 3 {
		late := &waiter{granted: make(chan *Slot, 1)}
		slots.waiters = append(slots.waiters, late)
		slots.grant()
		assert.Equal(t, 1, slots.used)
		slots.giveUp(late)
		assert.Zero(t, slots.used)
		assert.Empty(t, slots.pace.last, "there was no request")
	}
	assert.Equal(t, 1, slots.budget.free)
}
