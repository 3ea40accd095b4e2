package docs_test

import (
	"net/url"
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

// TestEveryPageIsInTheIndex looks whether a reader of the index finds every page: those of docs in the index itself, those of
// its folders by one link after the other.
func TestEveryPageIsInTheIndex(t *testing.T) {
	const index = "docs/README.md"
	all := pages(t)
	found := map[string]bool{index: true}
	for left := []string{index}; len(left) > 0; left = left[1:] {
		for _, link := range all[left[0]].Links {
			path, _, _ := strings.Cut(link.Target, "#")
			name := filepath.Join(filepath.Dir(left[0]), path)
			if all[name] != nil && strings.HasPrefix(name, "docs/") && !found[name] {
				assert.True(t, left[0] == index || filepath.Dir(name) != "docs", "%s does not name %s", index, name)
				found[name] = true
				left = append(left, name)
			}
		}
	}
	for name := range all {
		assert.True(t, found[name] || !strings.HasPrefix(name, "docs/"), "no link leads from %s to %s", index, name)
	}
}

// TestEveryPageIsInTheSite looks for pages that the navigation of the site forgets.
func TestEveryPageIsInTheSite(t *testing.T) {
	site, err := os.ReadFile(fromTop("mkdocs.yml"))
	require.NoError(t, err)
	for name := range pages(t) {
		if strings.HasPrefix(name, "docs/") && (filepath.Base(name) == "README.md" || !strings.HasPrefix(name, "docs/engineering/adr/")) {
			assert.Regexp(t, `(?m)[:-] `+regexp.QuoteMeta(name)+`$`, string(site), "mkdocs.yml does not name %s", name)
		}
	}
}
