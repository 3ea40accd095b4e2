// Package markdown reads what the tests of the documents need of a page: its headings, links, tables and fenced blocks.
package markdown

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// Page is a document.
type Page struct {
	Path     string
	Headings []Heading
	Links    []Link
	Rows     []Row
	Steps    []Step
}

// Heading is a heading, and the anchor by which links reach it.
type Heading struct {
	Level        int
	Text, Anchor string
	Line         int
}

// Link is the target of a link or image.
type Link struct {
	Target string
	Line   int
}

// Row is a row of a table, below the heading.
type Row struct {
	Heading string
	Cells   []string
	Line    int
}

// Step is a fenced block, or a command in a comment, which the reader does not see.
type Step struct {
	// Language is the first word after the fence; "run" for a comment "run: <command>", "values" for a block after a
	// comment "values.yaml".
	Language string
	Text     string
	Line     int
	// NoRun says why the block cannot be run: the text of a comment "norun: <reason>" right before it.
	NoRun string
}

var (
	fence   = regexp.MustCompile("^( *)```+ *([a-z]*)")
	heading = regexp.MustCompile(`^(#{1,6}) +(.+?) *$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	comment = regexp.MustCompile(`^<!-- (run|norun|values\.yaml)(?:: (.*))? -->$`)
	code    = regexp.MustCompile("`[^`]*`")
	ruler   = regexp.MustCompile(`^[|: -]+$`)
)

// Read reads a page from a file.
func Read(path string) (*Page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := reader{page: &Page{Path: path}, anchors: map[string]int{}}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		r.line++
		r.take(lines.Text())
	}
	if r.open != nil {
		return nil, fmt.Errorf("%s:%d: the block is not closed", path, r.open.Line)
	}
	return r.page, errors.Join(lines.Err(), r.end())
}

// Section returns the rows, links and steps from the heading to the next one of the same or a higher level.
func (p *Page) Section(text string) (*Page, bool) {
	first, last := 0, 1<<31
	level := 0
	for _, h := range p.Headings {
		switch {
		case first == 0 && h.Text == text:
			first, level = h.Line, h.Level
		case first > 0 && last == 1<<31 && h.Level <= level:
			last = h.Line
		}
	}
	section := &Page{Path: p.Path}
	within := func(line int) bool { return first < line && line < last }
	for _, row := range p.Rows {
		if within(row.Line) {
			section.Rows = append(section.Rows, row)
		}
	}
	for _, step := range p.Steps {
		if within(step.Line) {
			section.Steps = append(section.Steps, step)
		}
	}
	return section, first > 0
}
