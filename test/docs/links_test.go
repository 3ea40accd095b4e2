package docs_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/docs/markdown"
)

// TestLinks looks up what the documents link to, but for other sites.
func TestLinks(t *testing.T) {
	all := pages(t, "deploy/*/*.md", "deploy/charts/*/*.md")
	for name, page := range all {
		for _, link := range page.Links {
			target, err := url.Parse(link.Target)
			require.NoError(t, err, "%s:%d", name, link.Line)
			if target.Scheme != "" {
				assert.Equal(t, "https", target.Scheme, "%s:%d", name, link.Line)
				continue
			}
			file := name
			if target.Path != "" {
				file = filepath.Join(filepath.Dir(name), target.Path)
			}
			if _, err := os.Stat(fromTop(file)); err != nil {
				assert.Fail(t, "there is no such file", "%s:%d links to %s", name, link.Line, link.Target)
				continue
			}
			if target.Fragment == "" {
				continue
			}
			linked, read := all[file]
			if assert.True(t, read, "%s:%d: %s has no anchors", name, link.Line, file) {
				assert.True(t, hasAnchor(linked, target.Fragment), "%s:%d: %s has no #%s", name, link.Line, file, target.Fragment)
			}
		}
	}
}

func hasAnchor(page *markdown.Page, anchor string) bool {
	return slices.ContainsFunc(page.Headings, func(h markdown.Heading) bool { return h.Anchor == anchor })
}

// TestEveryPageIsInTheIndex looks whether a reader of the index finds every page.
func TestEveryPageIsInTheIndex(t *testing.T) {
	all := pages(t)
	for name := range all {
		if filepath.Dir(name) == "docs" && name != "docs/README.md" {
			assert.True(t, slices.ContainsFunc(all["docs/README.md"].Links, func(link markdown.Link) bool {
				path, _, _ := strings.Cut(link.Target, "#")
				return path == filepath.Base(name)
			}), "docs/README.md does not name %s", name)
		}
	}
}
