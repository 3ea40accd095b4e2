// Package ui serves pages that show what a caller finds out, to one browser on the same machine. It changes nothing, and knows nothing of what the
// pages are about.
package ui

import (
	"net/url"
	"strings"
)

// Tone says how the thing is that a cell names. It is shown by a symbol and a color.
type Tone string

// Tones.
const (
	Plain   Tone = ""
	Good    Tone = "good"
	Waiting Tone = "waiting"
	Bad     Tone = "bad"
	Off     Tone = "off"
	Unknown Tone = "unknown"
)

// Page is what a page shows.
type Page struct {
	Title string
	// Lead is a sentence below the title.
	Lead string
	// Tone is that of what the page is about.
	Tone     Tone
	Progress *Progress
	// Numbers are the facts that are read first.
	Numbers  []Fact
	Facts    []Fact
	Form     *Form
	Sections []Section
	// Listing is the part of the page that can be long: it can be searched, and comes in pages.
	Listing *Listing
	// After are the sections below the listing.
	After []Section
	// Unknown says what the caller may not read.
	Unknown []string
	// IsStill reports whether the page stays as it is when something changes.
	IsStill bool

	since int // how many changes there were before the page was made
}

// Fact is a value that has a name. Facts without a text are not shown.
type Fact struct {
	Name  string
	Value Cell
}

// Cell is a piece of text.
type Cell struct {
	Text string
	// Link is the address that the text leads to; empty: none.
	Link string
	Tone Tone
	// IsCommand reports whether the text is something to type.
	IsCommand bool
	// After is text behind the link.
	After string
}

// Section is a part of a page: a table, or a text.
type Section struct {
	Title, Note string
	Columns     []string
	Rows        [][]Cell
	// Text is shown as it is. Of a diff, the lines have colors.
	Text   string
	IsDiff bool
}

// Line is a line of a text.
type Line struct {
	// Class is what the line is in a diff: added, removed, or neither.
	Class, Text string
}

// headLines is how many lines of a diff say what is compared.
const headLines = 2

// Lines returns the lines of the text, each with its end.
func (s Section) Lines() (lines []Line) {
	for text := range strings.Lines(s.Text) {
		line := Line{Text: text}
		switch {
		case !s.IsDiff || len(lines) < headLines:
		case strings.HasPrefix(text, "+"):
			line.Class = "added"
		case strings.HasPrefix(text, "-"):
			line.Class = "removed"
		}
		lines = append(lines, line)
	}
	return lines
}

// Listing is a list of rows in groups.
type Listing struct {
	Title, Note string
	// Columns are those of the table. Without columns, the first cell of each row is a tile.
	Columns []string
	Rows    []Row
	// Empty is what is said if there are no rows.
	Empty string
	// Flow shows the rows, each of which has a thread, as a picture; nil: there is none.
	Flow *Flow
}

// Row is a row of a listing. The groups are shown in the order of their first rows.
type Row struct {
	Group  string
	Tone   Tone
	Cells  []Cell
	Thread Thread
}

// Form asks the reader for what the page is made of. It is sent to the address of the page.
type Form struct {
	Note   string
	Fields []Field
	Submit string
}

// Field is a field of a form.
type Field struct {
	Name, Label, Help, Value string
	// IsLong reports whether the value has several lines, IsCheck whether it is yes or no, and IsWide whether nothing is beside it.
	IsLong, IsCheck, IsWide bool
}

// Link is a link of the menu.
type Link struct {
	Text, Path string
}

// Path returns the address of a page, whose path has these parts.
func Path(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return "/" + strings.Join(escaped, "/")
}

// Text returns a cell of plain text.
func Text(text string) Cell { return Cell{Text: text} }

// Command returns a cell with something to type.
func Command(text string) Cell { return Cell{Text: text, IsCommand: text != ""} }

// Symbol is shown in front of the text, so that its color is not all that says how it is.
func (t Tone) Symbol() string {
	switch t {
	case Good:
		return "✔"
	case Waiting:
		return "…"
	case Bad:
		return "✘"
	case Off:
		return "–"
	case Unknown:
		return "?"
	default:
		return ""
	}
}

// Word says in a word what the symbol says.
func (t Tone) Word() string {
	switch t {
	case Good:
		return "good"
	case Waiting:
		return "waiting"
	case Bad:
		return "failed"
	case Off:
		return "off"
	case Unknown:
		return "unknown"
	default:
		return ""
	}
}

// Labelled returns a field with the value that was sent.
func Labelled(name, label, help string, sent url.Values) Field {
	return Field{Name: name, Label: label, Help: help, Value: sent.Get(name)}
}

// Long returns the field for a value of several lines.
func (f Field) Long() Field {
	f.IsLong = true
	return f
}

// Wide returns the field with nothing beside it.
func (f Field) Wide() Field {
	f.IsWide = true
	return f
}

// Check returns the field for a value that is yes or no.
func (f Field) Check() Field {
	f.IsCheck = true
	return f
}

// Columns returns the names of columns.
func Columns(names ...string) []string { return names }

// Named returns a fact.
func Named(name string, value Cell) Fact { return Fact{name, value} }
