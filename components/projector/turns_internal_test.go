package projector

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryTargetIsReachedAndAnyMayBeFirst(t *testing.T) {
	assert.Empty(t, slices.Collect(rotatedOrder(0)))
	assert.Equal(t, []int{0}, slices.Collect(rotatedOrder(1)))

	first := map[int]bool{}
	for range 1000 { // one of four that is never first in a thousand draws is no accident
		order := slices.Collect(rotatedOrder(4))
		first[order[0]] = true
		slices.Sort(order)
		assert.Equal(t, []int{0, 1, 2, 3}, order)
	}
	assert.Len(t, first, 4)
}
