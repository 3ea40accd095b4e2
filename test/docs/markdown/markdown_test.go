package markdown_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/docs/markdown"
)

const sample = "# A page of `one` idea\n" +
	"See [this](other.md#part), ![that](a.png) and not `[code](x)`.\n" +
	"<!-- run: kubectl get pods -->\n" +
	"```sh\nmake test\n```\n" +
	"<!-- values.yaml -->\n```yaml\nreplicas: 2\n```\n" +
	"## What, again?\n" +
	"<!-- norun: no registry here -->\n" +
	"  ```yaml\n  a: [\"b\"](c)\n    d: 1\n  ```\n" +
	"## What, again?\n" +
	"| flag | default |\n|---|:-:|\n| `--mode` | a\\|b |\n"

func read(t *testing.T, text string) (*markdown.Page, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return markdown.Read(path)
}

func TestRead(t *testing.T) {
	page, err := read(t, sample)
	require.NoError(t, err)
	assert.Equal(t, []markdown.Heading{
		{Level: 1, Text: "A page of one idea", Anchor: "a-page-of-one-idea", Line: 1},
		{Level: 2, Text: "What, again?", Anchor: "what-again", Line: 11},
		{Level: 2, Text: "What, again?", Anchor: "what-again-1", Line: 17},
	}, page.Headings)
	assert.Equal(t, []markdown.Link{{Target: "other.md#part", Line: 2}, {Target: "a.png", Line: 2}}, page.Links)
	assert.Equal(t, []markdown.Step{
		{Language: "run", Text: "kubectl get pods\n", Line: 3},
		{Language: "sh", Text: "make test\n", Line: 4},
		{Language: "values", Text: "replicas: 2\n", Line: 8},
		{Language: "yaml", Text: "a: [\"b\"](c)\n  d: 1\n", Line: 13, NoRun: "no registry here"},
	}, page.Steps)
	assert.Equal(t, []markdown.Row{
		{Heading: "What, again?", Cells: []string{"flag", "default"}, Line: 18},
		{Heading: "What, again?", Cells: []string{"`--mode`", "a|b"}, Line: 20},
	}, page.Rows)
}

func TestSection(t *testing.T) {
	page, err := read(t, "# A\n```sh\none\n```\n## B\n```sh\ntwo\n```\n### C\n| x |\n## D\n```sh\nthree\n```\n")
	require.NoError(t, err)
	section, found := page.Section("B")
	require.True(t, found)
	require.Len(t, section.Steps, 1)
	assert.Equal(t, "two\n", section.Steps[0].Text)
	assert.Len(t, section.Rows, 1, "a lower heading belongs to the section")
	_, found = page.Section("E")
	assert.False(t, found)
}

func TestWhatIsWrongWithAPage(t *testing.T) {
	_, err := read(t, "```sh\nkubectl get pods\n")
	require.ErrorContains(t, err, "page.md:1: the block is not closed")
	_, err = read(t, "<!-- norun: why -->\nText.\n")
	require.ErrorContains(t, err, `no block follows the comment "why"`)
	_, err = markdown.Read(filepath.Join(t.TempDir(), "none.md"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
