package kit_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

const overviewPage = "docs/engineering/kit-overview.md"

var (
	// promise is a row: a number, what is promised, links to code, links to tests.
	promise = regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \| (.+) \| (.+) \|$`)
	link    = regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)
)

// TestOverviewNamesCodeAndTestsThatExist reads the page that lists the promises of the original's overview.
func TestOverviewNamesCodeAndTestsThatExist(t *testing.T) {
	rows := promise.FindAllStringSubmatch(read(t, overviewPage), -1)
	require.NotEmpty(t, rows)
	for i, row := range rows {
		assert.Equal(t, strconv.Itoa(i+1), row[1])
		code, tests := link.FindAllStringSubmatch(row[3], -1), link.FindAllStringSubmatch(row[4], -1)
		assert.NotEmpty(t, code, "promise %s has no code", row[1])
		assert.NotEmpty(t, tests, "promise %s has no test", row[1])
		for _, to := range code {
			_, err := os.Stat(fromOverview(to[2]))
			require.NoError(t, err, "promise %s", row[1])
		}
		for _, to := range tests {
			content, err := os.ReadFile(fromOverview(to[2]))
			require.NoError(t, err, "promise %s", row[1])
			names := strings.Contains(string(content), "\nfunc "+to[1]+"(") // and not the whole file in the message
			assert.True(t, names, "promise %s: %s has no %s", row[1], to[2], to[1])
		}
	}
}

func fromOverview(target string) string {
	return filepath.Join(env.Root(), filepath.Dir(overviewPage), target)
}
