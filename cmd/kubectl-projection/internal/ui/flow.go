package ui

import (
	"cmp"
	"fmt"
	"slices"
)

// Flow shows the rows of a listing as a picture with three columns: what each row takes, the row, and what it leads to.
type Flow struct {
	// Titles are those of the columns.
	Titles [3]string
	// Rests name, for each column, the nodes for which there is no room.
	Rests [3]string
}

// Thread is the way through the picture that belongs to a row.
type Thread struct {
	From []Node
	Self Node
	To   []Node
}

// Node is a box of the picture. Boxes with the same text and tone are one.
type Node struct {
	Cell

	Note string
	// Count is how many things the box stands for. The counts of boxes that are one are added. Zero: the box stands for itself.
	Count int
	// One and Many name these things.
	One, Many string
}

const (
	// maxNodes is how many boxes a column has, besides one for those for which there is no room.
	maxNodes = 8
	// nodeHeight is that of a box with the space around it, as style.css has it.
	nodeHeight = 64
)

// tones are in the order in which what has them is shown.
var tones = []Tone{Bad, Unknown, Waiting, Off, Good, Plain}

// picture is a flow as it is drawn.
type picture struct {
	Columns [3]*column
	Height  int
	// lines are those between the first two columns, and between the last two.
	lines [2][]line
}

// gap is the space between two columns.
type gap struct {
	Height int
	Lines  []line
}

// Between returns the space right of the column.
func (p *picture) Between(at int) gap { return gap{p.Height, p.lines[at]} }

// line leads from a box to another one. The numbers are heights.
type line struct {
	Tone     Tone
	From, To int
}

// column is a column of boxes.
type column struct {
	Title string
	Nodes []Node

	rest string
	at   map[string]int
}

// key identifies a node of the column.
func (n Node) key() string { return string(n.Tone) + " " + n.Text }

// pictureOf draws the rows. Nil: there are none.
func pictureOf(flow *Flow, rows []Row) *picture {
	if flow == nil || len(rows) == 0 {
		return nil
	}
	drawn := &picture{}
	for i := range drawn.Columns {
		drawn.Columns[i] = &column{Title: flow.Titles[i], rest: flow.Rests[i], at: map[string]int{}}
	}
	left, middle, right := drawn.Columns[0], drawn.Columns[1], drawn.Columns[2]
	addEnds(right, rows)
	right.sort()
	right.fold()
	right.sort()
	for _, row := range rows {
		middle.add(row.Thread.Self)
		for _, node := range row.Thread.From {
			left.add(node)
		}
	}
	middle.fold()
	left.fold()
	drawn.connect(rows)
	return drawn
}

// addEnds adds what the rows lead to: the first box of each row, then the second ones, so that all rows have some.
func addEnds(right *column, rows []Row) {
	for i, isEnd := 0, false; !isEnd; i++ {
		isEnd = true
		for _, row := range rows {
			if i < len(row.Thread.To) {
				isEnd = false
				right.add(row.Thread.To[i])
			}
		}
	}
}

// severalReasons is the note of a box for which rules have different ones.
const severalReasons = "several reasons"

// add adds a box, or its count to the box that is the same.
func (c *column) add(node Node) {
	at, isThere := c.at[node.key()]
	if !isThere {
		c.at[node.key()] = len(c.Nodes)
		c.Nodes = append(c.Nodes, node)
		return
	}
	c.Nodes[at].Count += node.Count
	if known := c.Nodes[at].Note; known != "" && node.Note != "" && known != node.Note {
		c.Nodes[at].Note = severalReasons
	}
}

// sort has the worst boxes first, and those that stand for several things behind others of their tone.
func (c *column) sort() {
	slices.SortStableFunc(c.Nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(slices.Index(tones, a.Tone), slices.Index(tones, b.Tone)), cmp.Compare(min(a.Count, 1), min(b.Count, 1)))
	})
	for i, node := range c.Nodes {
		c.at[node.key()] = i
	}
}

// fold has one box stand for those for which there is no room. Boxes that stand for several things stay.
func (c *column) fold() {
	room := maxNodes
	for _, node := range c.Nodes {
		room -= min(node.Count, 1)
	}
	var kept []Node
	rest := Node{Cell: Cell{Text: c.rest}, One: "more", Many: "more"}
	for _, node := range c.Nodes {
		if node.Count == 0 {
			room--
		}
		if node.Count > 0 || room >= 0 {
			kept = append(kept, node)
			continue
		}
		if rest.Count++; worse(node.Tone, rest.Tone) {
			rest.Tone = node.Tone
		}
	}
	at := make(map[string]int, len(c.at))
	for i, node := range kept {
		at[node.key()] = i
	}
	c.Nodes, c.at = kept, at
	if rest.Count > 0 {
		c.add(rest)
	}
}

func worse(a, b Tone) bool { return slices.Index(tones, a) < slices.Index(tones, b) }

// find returns the number of the box, or of the one that stands for it.
func (c *column) find(node Node) int {
	if at, isThere := c.at[node.key()]; isThere {
		return at
	}
	return slices.IndexFunc(c.Nodes, func(other Node) bool { return other.Text == c.rest })
}

// connect draws the lines. Of several between the same boxes, the worst is drawn.
func (p *picture) connect(rows []Row) {
	left, middle, right := p.Columns[0], p.Columns[1], p.Columns[2]
	most := max(len(left.Nodes), len(middle.Nodes), len(right.Nodes))
	p.Height = most * nodeHeight
	height := func(c *column, at int) int { return (most-len(c.Nodes))*nodeHeight/2 + at*nodeHeight + nodeHeight/2 }
	into, out := map[[2]int]Tone{}, map[[2]int]Tone{}
	note := func(lines map[[2]int]Tone, from, to int, tone Tone) {
		between := [2]int{from, to}
		if known, isThere := lines[between]; !isThere || worse(tone, known) {
			lines[between] = tone
		}
	}
	for _, row := range rows {
		self := middle.find(row.Thread.Self)
		for _, node := range row.Thread.From {
			note(into, height(left, left.find(node)), height(middle, self), row.Thread.Self.Tone)
		}
		for _, node := range row.Thread.To {
			note(out, height(middle, self), height(right, right.find(node)), node.Tone)
		}
	}
	p.lines = [2][]line{linesOf(into), linesOf(out)}
}

// linesOf returns the lines, the worst last, so that they cover others.
func linesOf(tonesOf map[[2]int]Tone) []line {
	var lines []line
	for between, tone := range tonesOf {
		lines = append(lines, line{tone, between[0], between[1]})
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(-cmp.Compare(slices.Index(tones, a.Tone), slices.Index(tones, b.Tone)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return lines
}

// Path is the line as SVG has it.
func (l line) Path() string {
	return fmt.Sprintf("M0,%d C50,%d 50,%d 100,%d", l.From, l.From, l.To, l.To)
}

// Small is the second line of the box.
func (n Node) Small() string {
	if n.Count == 0 {
		return n.Note
	}
	if n.Count == 1 {
		return "1 " + n.One
	}
	return fmt.Sprintf("%d %s", n.Count, n.Many)
}
