package concepts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/concepts"
)

func TestDataCell(t *testing.T) {
	cell := concepts.NewData[*int]("port")
	requireUnset := func() {
		assert.Equal(t, "port", cell.Name())
		assert.False(t, cell.IsSet())
		value, ok := cell.Get()
		assert.Nil(t, value)
		assert.False(t, ok)
		value, err := cell.Require()
		assert.Nil(t, value)
		require.EqualError(t, err, `data "port": data not extracted`)
		require.ErrorIs(t, err, concepts.ErrDataNotExtracted)
	}
	requireUnset()

	cell.Set(new(80))
	assert.True(t, cell.IsSet())
	value, ok := cell.Get()
	assert.True(t, ok)
	assert.Equal(t, 80, *value)
	value, err := cell.Require()
	require.NoError(t, err)
	assert.Equal(t, 80, *value)

	cell.Clear()
	requireUnset()
}

func TestZeroValueOfDataCounts(t *testing.T) {
	cell := concepts.NewData[string]("text")
	cell.Set("")
	value, err := cell.Require()
	require.NoError(t, err)
	assert.Empty(t, value)
	assert.True(t, cell.IsSet())
}

func TestDataCellsAreTheSameByPointer(t *testing.T) {
	one, other := concepts.NewData[string]("a"), concepts.NewData[string]("a")
	assert.NotSame(t, one, other)
	one.Set("1")
	assert.False(t, other.IsSet())
}
