package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/docs/markdown"
)

const (
	readmePage     = "README.md"
	comparisonPage = "docs/comparison.md"
)

// firstScreen is how many lines of a file one sees without scrolling.
const firstScreen = 25

func TestCommandsAreOnTheFirstScreen(t *testing.T) {
	for _, command := range []string{"make demo", "make test"} {
		assert.True(t, slices.ContainsFunc(pages(t)[readmePage].Steps, func(step markdown.Step) bool {
			return step.Line < firstScreen && strings.Contains(step.Text, command)
		}), command)
	}
}

var (
	// fact is an item of a list, with the lines that continue it.
	fact = regexp.MustCompile(`(?m)^- .*\n(?:  .*\n)*`)
	// linked is a link to a page of this tree.
	linked = regexp.MustCompile(`\]\(([^)#]+\.md)[^)]*\)`)
	// figure is a number with its unit.
	figure = regexp.MustCompile(`\d[\d,.]*\d|\d`)
)

// TestFiguresOfTheReadmeAreMeasured looks up each figure of the facts in a page that the same fact links to.
func TestFiguresOfTheReadmeAreMeasured(t *testing.T) {
	content, err := os.ReadFile(fromTop(readmePage))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(content), "\n## Six facts\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	facts := fact.FindAllString(section, -1)
	assert.Len(t, facts, 6)
	for _, item := range facts {
		var evidence strings.Builder
		links := linked.FindAllStringSubmatch(item, -1)
		assert.NotEmpty(t, links, item)
		for _, link := range links {
			page, err := os.ReadFile(fromTop(link[1]))
			require.NoError(t, err)
			evidence.Write(page)
		}
		measured := figure.FindAllString(evidence.String(), -1)
		for _, number := range figure.FindAllString(linked.ReplaceAllString(item, ""), -1) {
			assert.Contains(t, measured, number, item)
		}
	}
}

// TestComparisonOfTheReadmeIsAnExtract compares each cell with that of the whole table. Links may be left out.
func TestComparisonOfTheReadmeIsAnExtract(t *testing.T) {
	whole := pages(t)[comparisonPage].Rows
	section, found := pages(t)[readmePage].Section("Beside other tools")
	require.True(t, found)
	require.Greater(t, len(section.Rows), 2)
	names := map[string]int{}
	for i, cell := range whole[0].Cells {
		names[unlinked(cell)] = i
	}
	head := section.Rows[0].Cells
	for _, row := range section.Rows[1:] {
		i := slices.IndexFunc(whole, func(other markdown.Row) bool { return other.Cells[0] == row.Cells[0] })
		if !assert.NotEqual(t, -1, i, "%s has no row %q", comparisonPage, row.Cells[0]) {
			continue
		}
		for column, cell := range row.Cells {
			at, known := names[head[column]]
			require.True(t, known, head[column])
			assert.Equal(t, unlinked(whole[i].Cells[at]), unlinked(cell), "%s, %s", row.Cells[0], head[column])
		}
	}
}

var anyLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

func unlinked(cell string) string { return anyLink.ReplaceAllString(cell, "$1") }

// TestPicturesHaveAText looks for the words that stand for a picture where it cannot be seen.
func TestPicturesHaveAText(t *testing.T) {
	shown := regexp.MustCompile(`!\[([^\]]*)\]\(([^)]+)\)`)
	for name := range pages(t) {
		content, err := os.ReadFile(fromTop(name))
		require.NoError(t, err)
		for _, picture := range shown.FindAllStringSubmatch(string(content), -1) {
			assert.Greater(t, len(strings.Fields(picture[1])), 3, "%s: say in words what %s shows", name, picture[2])
			_, err := os.Stat(fromTop(filepath.Join(filepath.Dir(name), picture[2])))
			require.NoError(t, err)
		}
	}
}
