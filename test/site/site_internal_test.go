package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// tree writes files into a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

func TestSiteHasPagesAndWhatTheyLinkTo(t *testing.T) {
	files, err := filesOf(tree(t, map[string]string{
		"README.md": "![picture](docs/images/a.svg) [code](cmd/main.go#L1) [other](https://example.com/x) [below](#part)", "go.mod": "module x",
		"docs/images/a.svg": "", "docs/images/b.svg": "", "cmd/main.go": "", "cmd/other.go": "",
		"docs/a/b.md": "[notes](../../test/notes.md)", "test/notes.md": "[data](data.yaml)", "test/data.yaml": "",
	}))
	require.NoError(t, err)
	assert.Equal(t, []string{"README.md", "cmd/main.go", "docs/a/b.md", "docs/images/a.svg", "test/data.yaml", "test/notes.md"}, files)

	_, err = filesOf(tree(t, map[string]string{"README.md": "\n[x](none.md)"}))
	require.ErrorContains(t, err, "README.md:2: ")
	require.ErrorContains(t, err, "no such file")
}

func TestLinkedDirectoryGetsAList(t *testing.T) {
	top, dir := tree(t, map[string]string{"README.md": "[x](cmd/) [y](deploy)", "cmd/a.go": "", "cmd/b.go": "", "cmd/below/c.go": "", "deploy/README.md": "own"}), t.TempDir()
	files, err := filesOf(top)
	require.NoError(t, err)
	assert.Equal(t, []string{"README.md", "cmd/README.md", "cmd/a.go", "cmd/b.go", "deploy/README.md"}, files)
	require.NoError(t, collect(top, dir))
	for file, want := range map[string]string{"cmd/README.md": "# cmd\n\n- [a.go](a.go)\n- [b.go](b.go)\n", "deploy/README.md": "own"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Equal(t, want, string(content))
	}
}

func TestPagesOfThisTreeAreCollected(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, collect(env.Root(), dir))
	for _, file := range []string{"README.md", "docs/README.md", "docs/images/demo.svg", "deploy/charts/projection/README.md", "mutations/doc.go"} {
		assert.FileExists(t, filepath.Join(dir, file))
	}
	for _, file := range []string{"go.mod", "Makefile", "cmd/manager/main.go"} {
		assert.NoFileExists(t, filepath.Join(dir, file))
	}
}

func TestLinksOfTheSiteAreLookedUp(t *testing.T) {
	const page = `<h1 id="top">x</h1> <a href="docs/a.html#part">a</a> <a class="y" href="https://example.com/#z">b</a> <img src="a.svg"> <a href="docs/">d</a>`
	files := map[string]string{
		"index.html": page, "a.svg": "", "docs/a.html": `<h2 id="part">y</h2><a href="#part"></a><a href="../index.html#top">`, "docs/index.html": "",
		"404.html": `<a href="/nowhere.html">`,
	}
	require.NoError(t, check(tree(t, files)))
	for wrong, problem := range map[string]string{
		`<a href="b.html">`:           "links to b.html: there is no such file",
		`<a href="a.html#none">`:      "links to a.html#none: there is no such anchor",
		`<a href="../index.html#no">`: "links to ../index.html#no: there is no such anchor",
		`<img src="a.svg">`:           "links to a.svg: there is no such file",
	} {
		files["docs/b/index.html"] = ""
		files["docs/a.html"] = `<h2 id="part">` + wrong
		require.ErrorContains(t, check(tree(t, files)), problem)
	}
	require.ErrorContains(t, check(t.TempDir()), "has no pages")
	require.ErrorContains(t, run(nil), "usage: site")
}
