package ui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

func node(text string, tone ui.Tone, count int) ui.Node {
	return ui.Node{Cell: ui.Cell{Text: text, Tone: tone}, Count: count, One: "copy", Many: "copies"}
}

// flowOf returns a page of rules, each with its thread.
func flowOf(threads ...ui.Thread) ui.Page {
	listing := &ui.Listing{Title: "Rules", Columns: []string{"Rule"}, Flow: &ui.Flow{
		Titles: [3]string{"Sources", "Rules", "Namespaces"}, Rests: [3]string{"other sources", "other rules", "other namespaces"},
	}}
	for _, thread := range threads {
		listing.Rows = append(listing.Rows, ui.Row{Group: string(thread.Self.Tone), Cells: []ui.Cell{thread.Self.Cell}, Thread: thread})
	}
	return ui.Page{Title: "Overview", Listing: listing}
}

var element = regexp.MustCompile(`(<span class="mark[^<]*</span>|<[^>]*>|\s)+`)

// readable returns the text of a page as a line, without symbols.
func readable(body string) string { return element.ReplaceAllString(body, " ") }

func get(t *testing.T, shown ui.Page, path string) string {
	t.Helper()
	return opened(t, newServer(page(shown)))(request{path: path}).Body.String()
}

func TestPictureJoinsWhatIsTheSame(t *testing.T) {
	source := []ui.Node{{Cell: ui.Text("ConfigMap a")}}
	shown := flowOf(
		ui.Thread{From: source, Self: node("base", ui.Bad, 0), To: []ui.Node{node("web-1", ui.Bad, 0), node("in sync", ui.Good, 2)}},
		ui.Thread{From: source, Self: node("ca", ui.Good, 0), To: []ui.Node{node("in sync", ui.Good, 3)}},
	)
	body := get(t, shown, "/")
	assert.Contains(t, readable(body), "Sources ConfigMap a Rules failed: base good: ca Namespaces failed: web-1 good: in sync 5 copies")
	for _, drawn := range []string{
		`<path class="good" d="M0,64 C50,64 50,96 100,96"/><path class="bad" d="M0,64 C50,64 50,32 100,32"/>`, // from one source
		`<path class="good" d="M0,32 C50,32 50,96 100,96"/><path class="good" d="M0,96 C50,96 50,96 100,96"/><path class="bad" d="M0,32 C50,32 50,32 100,32"/>`,
	} {
		assert.Contains(t, body, drawn)
	}
	assert.NotContains(t, get(t, shown, "/?group=good"), "web-1", "the picture has the rows that are asked for")
}

func TestBoxSaysIfTheReasonsOfItsRulesDiffer(t *testing.T) {
	failed := func(rule, reason string) ui.Thread {
		end := node("web-1", ui.Bad, 0)
		end.Note = reason
		return ui.Thread{Self: node(rule, ui.Bad, 0), To: []ui.Node{end}}
	}
	for want, threads := range map[string][]ui.Thread{
		"failed: web-1 DestinationConflict": {failed("base", "DestinationConflict"), failed("ca", "DestinationConflict"), failed("motd", "")},
		"failed: web-1 several reasons":     {failed("base", "DestinationConflict"), failed("ca", "RenderFailed"), failed("motd", "DestinationConflict")},
	} {
		assert.Contains(t, readable(get(t, flowOf(threads...), "/")), want)
	}
}

func TestPictureHasFewBoxes(t *testing.T) {
	var threads []ui.Thread
	for i := range 5000 {
		thread := ui.Thread{From: []ui.Node{node(fmt.Sprintf("source-%04d", i), "", 0)}, Self: node(fmt.Sprintf("rule-%04d", i), ui.Good, 0)}
		thread.To = []ui.Node{node("in sync", ui.Good, 5000), node(fmt.Sprintf("failed-%04d", i), ui.Bad, 0), node("other namespaces", ui.Bad, 2)}
		threads = append(threads, thread)
	}
	body := get(t, flowOf(threads...), "/")
	assert.Equal(t, 9+9+8, strings.Count(body, `<li class="node`))
	picture := readable(body)
	for _, text := range []string{
		"source-0007 other sources 4992 more", "good: rule-0007 good: other rules 4992 more",
		"failed: failed-0005 failed: other namespaces 14994 copies good: in sync 25000000 copies",
	} {
		assert.Contains(t, picture, text)
	}
	assert.Less(t, len(body), 64<<10)
}
