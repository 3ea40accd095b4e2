package destination

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFieldSetsAreWrittenAndRead(t *testing.T) {
	for _, sets := range []FieldSets{nil, {1}, {ours}, {1 << 63, ^Fields(0)}, {1, 2, 3, 4, 5, 6, 7}} {
		assert.Equal(t, sets, ParseFieldSets(sets.Format(128)))
	}
	assert.Empty(t, FieldSets{}.Format(128))
	assert.Equal(t, "000000000000002a", FieldSets{42}.Format(128), "one set is what version 1 wrote")
	assert.Equal(t, "000000000000002a,000000000000002b", FieldSets{42, 43}.Format(128))
	assert.Equal(t, FieldSets{42, 43}, ParseFieldSets("2b,,junk,2a,2b,0"))
	for _, junk := range []string{"", " ", "x", "0x2a", "-1", "10000000000000000", "2a ", ","} {
		assert.Empty(t, ParseFieldSets(junk), "%q", junk)
	}
}

func TestFieldSetsAreSortedAndHaveEachOnce(t *testing.T) {
	var sets FieldSets
	for _, set := range []Fields{3, 1, 0, 3, 2, 1} {
		sets = sets.With(set)
	}
	assert.Equal(t, FieldSets{1, 2, 3}, sets)
}

func TestFieldSetsThatDoNotFitAreLeftOut(t *testing.T) {
	var sets FieldSets
	for set := range Fields(200) {
		sets = sets.With(set + 1)
	}
	for maxLength, count := range map[int]int{0: 0, 15: 0, 16: 1, 32: 1, 33: 2, 128: 7, 2048: 120} {
		text := sets.Format(maxLength)
		assert.LessOrEqual(t, len(text), maxLength)
		assert.Len(t, ParseFieldSets(text), count)
		if count > 0 {
			assert.True(t, strings.HasPrefix(text, "0000000000000001"), "the same ones each time")
		}
	}
}
