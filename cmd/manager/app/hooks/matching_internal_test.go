package hooks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
)

func TestLabelsOfTheTrialMatch(t *testing.T) {
	for text, want := range map[string]labels.Set{
		"":                         {},
		"shard=blue":               {"shard": "blue"},
		"shard==blue,old!=yes":     {"shard": "blue"},
		"shard in (blue),!old":     {"shard": "blue"},
		"shard notin (blue,green)": {},
		"shard":                    {"shard": "trial"},
		"shard,shard=blue":         {"shard": "blue"},
	} {
		selector, err := labels.Parse(text)
		require.NoError(t, err)
		set, err := matching(selector)
		require.NoError(t, err, text)
		assert.Equal(t, want, set, text)
		assert.True(t, selector.Matches(set), text)
	}
	impossible, err := labels.Parse("shard=blue,shard=green")
	require.NoError(t, err)
	_, err = matching(impossible)
	require.ErrorContains(t, err, "no labels were found that match")
}
