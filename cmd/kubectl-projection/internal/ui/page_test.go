package ui_test

import (
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

func TestNothingOfTheClusterBecomesMarkup(t *testing.T) {
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
	cell := ui.Cell{Text: hostile, Link: ui.Path("rules", hostile), Tone: ui.Bad}
	browse := opened(t, newServer(page(ui.Page{
		Title: hostile, Lead: hostile, Tone: ui.Bad, Facts: []ui.Fact{{Name: hostile, Value: cell}}, Unknown: []string{hostile},
		Progress: &ui.Progress{Label: hostile, Parts: []ui.Part{{Tone: ui.Good, Count: 1}}, IsMoving: true}, After: []ui.Section{{Title: hostile}},
		Form: &ui.Form{Note: hostile, Submit: hostile, Fields: []ui.Field{
			{Name: "a", Label: hostile, Help: hostile, Value: hostile},
			{Name: "b", Label: hostile, Value: hostile, IsLong: true}, {Name: "c", Value: hostile, Label: hostile, IsCheck: true},
		}},
		Sections: []ui.Section{{Title: hostile, Note: hostile, Text: hostile, Columns: []string{hostile}, Rows: [][]ui.Cell{{cell}}}},
		Listing: &ui.Listing{
			Title: hostile, Note: hostile, Columns: []string{hostile}, Rows: []ui.Row{{Group: hostile, Cells: []ui.Cell{cell}}, {Group: "b", Cells: []ui.Cell{cell}}},
		},
	})))
	for _, path := range []string{"/?", "/?q=%22%3E%3Cscript%3Ealert(1)&group=%22%3E%3Cscript%3E", "/%22%3E%3Cscript%3E"} {
		body := browse(request{path: path}).Body.String()
		assert.NotContains(t, body, "<script>", path)
		assert.NotContains(t, body, "<img", path)
		assert.NotContains(t, body, "javascript:", path)
		assert.Equal(t, path[1] != '%', strings.Contains(body, `<main id="content" tabindex="-1" hx-get="/`), "the page is live")
	}
	dangerous := opened(t, newServer(page(ui.Page{Facts: []ui.Fact{{Name: "link", Value: ui.Cell{Text: "x", Link: "javascript:alert(1)"}}}})))
	assert.NotContains(t, dangerous(request{path: "/"}).Body.String(), "javascript:")
}

func TestPagesNeedNothingInline(t *testing.T) {
	body := opened(t, newServer(page(ui.Page{Title: "Overview", Progress: &ui.Progress{Parts: []ui.Part{{Tone: ui.Good, Count: 1}}, IsMoving: true}})))(request{path: "/"}).Body.String()
	assert.NotRegexp(t, `\sstyle=|<style|\son[a-z]+=|<script>|https?://`, body)
	assert.Contains(t, body, `<div id="moving" hidden hx-get="/" hx-trigger="every 3s"></div>`, "an element that is not there later ends its requests")
}

// many returns namespaces of which every hundredth has failed.
func many(number int, columns ...string) *ui.Listing {
	listing := &ui.Listing{Title: "Namespaces", Columns: columns, Empty: "There are none."}
	for i := range number {
		row := ui.Row{Group: "in sync", Tone: ui.Good, Cells: []ui.Cell{ui.Text(fmt.Sprintf("ns-%04d", i))}}
		if i%100 == 0 {
			row.Group, row.Tone = "failed", ui.Bad
		}
		listing.Rows = append(listing.Rows, row)
	}
	return listing
}

func TestListingsComeInPages(t *testing.T) {
	tests := map[string]struct {
		columns    []string
		path       string
		rows       int
		shows, not []string
	}{
		"tiles":            {path: "/", rows: 200, shows: []string{"1 to 200 of 5000", "?page=2", "ns-0199", `in sync <span class="count">4950</span>`, `failed <span class="count">50</span>`}, not: []string{"ns-0200", "Previous"}},
		"last page":        {path: "/?page=25", rows: 200, shows: []string{"4801 to 5000 of 5000", "?page=24", "ns-4999"}, not: []string{"Next"}},
		"page that is not": {path: "/?page=1000", rows: 200},
		"no page":          {path: "/?page=-1", rows: 200},
		"rows":             {columns: []string{"Name"}, path: "/", rows: 100, shows: []string{"1 to 100 of 5000"}},
		"group":            {path: "/?group=failed", rows: 50, shows: []string{`<a href="?group=failed" aria-current="true">`}, not: []string{"ns-0001"}},
		"group and page":   {path: "/?group=in+sync&page=2", rows: 200, shows: []string{"201 to 400 of 4950", "?group=in+sync&page=3"}},
		"search":           {path: "/?q=NS-49", rows: 100, shows: []string{`value="NS-49"`, `failed <span class="count">1</span>`, "?group=failed&q=NS-49"}},
		"nothing":          {path: "/?q=nothing", shows: []string{"Nothing matches."}},
		"unknown group":    {path: "/?group=x", shows: []string{"Nothing matches."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			body := opened(t, newServer(page(ui.Page{Listing: many(5000, test.columns...)})))(request{path: test.path}).Body.String()
			body = html.UnescapeString(body)
			assert.Equal(t, test.rows, strings.Count(body, "ns-")-strings.Count(body, "title=\"ns-"))
			for _, text := range test.shows {
				assert.Contains(t, body, text)
			}
			for _, text := range test.not {
				assert.NotContains(t, body, text)
			}
		})
	}
	assert.Contains(t, opened(t, newServer(page(ui.Page{Listing: many(0)})))(request{path: "/"}).Body.String(), "There are none.")
}

func TestShortListingsHaveNoSearch(t *testing.T) {
	assert.NotContains(t, get(t, ui.Page{Listing: many(1)}, "/"), `type="search"`)
	assert.Contains(t, get(t, ui.Page{Listing: many(2)}, "/"), `type="search"`, "there are two groups")
	assert.Contains(t, get(t, ui.Page{Listing: many(1)}, "/?q=x"), `type="search"`, "it was searched")
	assert.Contains(t, get(t, ui.Page{Listing: many(1)}, "/?group=x"), `type="search"`, "there are others")
}

func TestListingBelowAFormIsPostedWithIt(t *testing.T) {
	browse := opened(t, newServer(page(ui.Page{Form: &ui.Form{Fields: []ui.Field{{Name: "rule"}}, Submit: "Plan"}, Listing: many(5000, "Name")})))
	post := request{method: http.MethodPost, path: "/sandbox", header: map[string]string{"Origin": "http://" + host}, body: "at=2+in+sync"}
	body := browse(post).Body.String()
	assert.Contains(t, body, "101 to 200 of 4950")
	assert.Contains(t, body, `<button form="form" name="at" value="3 in sync">`)
	assert.NotContains(t, body, `method="get"`)
	assert.NotContains(t, body, `type="hidden"`, "the next plan begins with all groups")
}

func TestBarsShowEachPart(t *testing.T) {
	tests := map[string]struct {
		counts []int
		shows  []string
	}{
		"a part":         {[]int{7}, []string{`<rect class="good" x="0" width="1000" height="10"/>`}},
		"halves":         {[]int{5, 5}, []string{`<rect class="good" x="0" width="500"`, `<rect class="bad" x="500" width="500"`}},
		"one of many":    {[]int{4999, 1}, []string{`<rect class="good" x="0" width="994"`, `<rect class="bad" x="994" width="6"`}},
		"many after one": {[]int{1, 4999}, []string{`<rect class="good" x="0" width="6"`, `<rect class="bad" x="6" width="994"`}},
		"rounded":        {[]int{1, 2}, []string{`<rect class="good" x="0" width="333"`, `<rect class="bad" x="333" width="667"`}},
		"no part":        {[]int{0, 3}, []string{`<rect class="bad" x="0" width="1000"`}},
		"nothing":        {[]int{0, 0}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var parts []ui.Part
			for i, count := range test.counts {
				parts = append(parts, ui.Part{Tone: []ui.Tone{ui.Good, ui.Bad}[i], Count: count})
			}
			body := opened(t, newServer(page(ui.Page{Progress: &ui.Progress{Label: "far", Parts: parts}})))(request{path: "/"}).Body.String()
			for _, text := range test.shows {
				assert.Contains(t, body, text)
			}
			assert.Equal(t, len(test.shows), strings.Count(body, "<rect"))
		})
	}
}

func TestDiffsHaveColors(t *testing.T) {
	const text = "--- a\n--- b\n@@ 1 @@\n-old: <b>\n+new: 1\n same\n"
	body := get(t, ui.Page{Sections: []ui.Section{{Text: text, IsDiff: true}}, After: []ui.Section{{Text: "- a\n- b\n"}}}, "/")
	assert.Contains(t, body, "<pre tabindex=\"0\">--- a\n--- b\n@@ 1 @@\n<span class=\"removed\">-old: &lt;b&gt;\n</span><span class=\"added\">&#43;new: 1\n</span> same\n</pre>")
	assert.Contains(t, body, "<pre tabindex=\"0\">- a\n- b\n</pre>", "a list is no diff")
}
