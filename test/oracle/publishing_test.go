package oracle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// TestPublishingFeaturesNameTheirTests reads the page that says which test shows each feature of a PublishedResource, or why it is not built.
func TestPublishingFeaturesNameTheirTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "engineering", "publishing-features.md"))
	require.NoError(t, err)
	known, rows := tests(t), rowsOf(string(page))
	for _, row := range rows {
		require.Len(t, row, 4, row)
		named := exist(t, known, row[2])
		reason, isLeftOut := strings.CutPrefix(plain(row[2]), "not built: ")
		assert.NotEqual(t, named > 0, isLeftOut, "name a test, or say why there is none: %s", plain(row[0]))
		assert.True(t, !isLeftOut || len(strings.Fields(reason)) > 4, "say why: %s", plain(row[0]))
	}
	assert.Greater(t, len(rows), 30)
}
