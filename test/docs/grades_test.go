package docs_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryMessageIsGraded compares the graded messages with the quoted ones: a message that changes is graded again.
func TestEveryMessageIsGraded(t *testing.T) {
	quoted := documented(t)
	maps.Copy(quoted, documentedOfClusters(t))
	for _, row := range pages(t)["docs/engineering/messages.md"].Rows {
		if !strings.HasPrefix(row.Cells[1], "`") {
			continue // the head of a table
		}
		require.Len(t, row.Cells, 4)
		assert.Contains(t, []string{"A", "B"}, row.Cells[2], row.Cells[1])
		assert.NotEmpty(t, row.Cells[3], row.Cells[1])
		if row.Heading == "Quoted messages" {
			of := telling{row.Cells[0], strings.Trim(row.Cells[1], "`")}
			assert.True(t, quoted[of], "no page quotes %v", of)
			delete(quoted, of)
		} else {
			assert.True(t, reasons(t)[row.Cells[0]], row.Cells[0])
		}
	}
	assert.Empty(t, quoted, "no grade")
}
