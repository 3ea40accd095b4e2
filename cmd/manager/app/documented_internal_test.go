package app

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/docs/markdown"
	"projection.sh/operator/test/env"
)

func TestEveryFlagIsDocumented(t *testing.T) {
	page, err := markdown.Read(filepath.Join(env.Root(), "docs", "configuration.md"))
	require.NoError(t, err)
	section, found := page.Section("Flags")
	require.True(t, found)
	documented := map[string][]string{}
	for _, row := range section.Rows[1:] {
		require.Len(t, row.Cells, 4)
		documented[strings.Trim(row.Cells[0], "`")] = row.Cells
	}

	Flags().VisitAll(func(f *flag.Flag) {
		row, found := documented["--"+f.Name]
		delete(documented, "--"+f.Name)
		if !assert.Truef(t, found, "the page does not name --%s", f.Name) {
			return
		}
		assert.Equalf(t, f.DefValue, strings.Trim(row[1], "`"), "default of --%s", f.Name)
		assert.Equal(t, f.Usage, row[3])
	})
	assert.Empty(t, documented, "there are no such flags")
}
