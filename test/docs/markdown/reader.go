package markdown

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// reader goes through a page line by line.
type reader struct {
	page    *Page
	line    int
	open    *Step  // the fenced block that the line is in
	indent  string // of its fence
	noRun   string // the reason that waits for its block
	values  bool   // the next block holds values of the chart
	under   string // the last heading
	anchors map[string]int
}

func (r *reader) take(line string) {
	opening := fence.FindStringSubmatch(line)
	switch {
	case r.open != nil && opening != nil:
		r.page.Steps = append(r.page.Steps, *r.open)
		r.open = nil
	case r.open != nil:
		r.open.Text += strings.TrimPrefix(line, r.indent) + "\n"
	case opening != nil:
		r.open, r.indent = &Step{Language: opening[2], Line: r.line, NoRun: r.noRun}, opening[1]
		if r.values {
			r.open.Language = "values"
		}
		r.noRun, r.values = "", false
	default:
		r.prose(line)
	}
}

func (r *reader) prose(line string) {
	if said := comment.FindStringSubmatch(line); said != nil {
		switch said[1] {
		case "run":
			r.page.Steps = append(r.page.Steps, Step{Language: "run", Text: said[2] + "\n", Line: r.line})
		case "norun":
			r.noRun = said[2]
		default:
			r.values = true
		}
		return
	}
	if title := heading.FindStringSubmatch(line); title != nil {
		r.under = strings.ReplaceAll(title[2], "`", "")
		r.page.Headings = append(r.page.Headings, Heading{Level: len(title[1]), Text: r.under, Anchor: r.anchor(r.under), Line: r.line})
	}
	for _, target := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
		r.page.Links = append(r.page.Links, Link{Target: target[1], Line: r.line})
	}
	if strings.HasPrefix(line, "|") && !ruler.MatchString(line) {
		r.page.Rows = append(r.page.Rows, Row{Heading: r.under, Cells: cells(line), Line: r.line})
	}
}

// end objects to a comment that no block has followed.
func (r *reader) end() error {
	if r.noRun != "" || r.values {
		return fmt.Errorf("%s: no block follows the comment %q", r.page.Path, cmp.Or(r.noRun, "values.yaml"))
	}
	return nil
}

// anchor returns the anchor that GitHub gives to a heading: a second one of the same text is numbered.
func (r *reader) anchor(text string) string {
	var out strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c == ' ':
			out.WriteRune('-')
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			out.WriteRune(c)
		}
	}
	anchor := out.String()
	r.anchors[anchor]++
	if again := r.anchors[anchor] - 1; again > 0 {
		anchor += "-" + strconv.Itoa(again)
	}
	return anchor
}

func cells(line string) []string {
	const bar = "\x00"
	line = strings.Trim(strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar), "|")
	parts := strings.Split(line, "|")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.TrimSpace(part), bar, "|")
	}
	return parts
}
