package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCleanFieldsAreBounded(t *testing.T) {
	var clean CleanFields
	for set := range Fields(1000) {
		clean.add(set + 1)
		clean.add(set + 1)
	}
	assert.Len(t, clean.sets, maxCleanSets)
	assert.True(t, clean.has(1))
	assert.True(t, clean.has(100))
	assert.False(t, clean.has(101))
}
