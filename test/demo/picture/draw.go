package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Measures of the drawing, in pixels.
const (
	charWidth  = 8.4 // of a monospace font of 14 pixels
	lineHeight = 19
	margin     = 16
	footer     = 30
)

// style gives the picture a background and colors of its own, so that it can be read on a light page and on a dark one.
const style = `
.page{fill:#0d1117;stroke:#30363d}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre;fill:#d1d7e0}
.command{fill:#fff;font-weight:bold}
.heading{fill:#58a6ff;font-weight:bold}
.result{fill:#3fb950;font-weight:bold}
.footer{fill:#9198a1;font-size:12px}
.curtain{fill:#0d1117}
@media (prefers-color-scheme:light){
.page{fill:#fff;stroke:#d1d9e0}
text{fill:#25292e}
.command{fill:#000}
.heading{fill:#0550ae}
.result{fill:#116329}
.footer{fill:#59636e}
.curtain{fill:#fff}
}
`

// draw returns the picture. All lines stand below each other in one sheet, and a curtain hides those that come later. The animation moves
// both. Without it, for example because a reader prefers reduced motion, the picture is what the terminal shows in the end.
func draw(r *recording) ([]byte, error) {
	lines, err := screen(r)
	if err != nil {
		return nil, err
	}
	width, height := int(float64(r.Width)*charWidth)+2*margin, r.Height*lineHeight+2*margin+footer
	title := fmt.Sprintf("What %q prints, at commit %s", r.Command, r.Commit)
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&out, "<title id=\"title\">%s</title>\n", escaped(title))
	fmt.Fprintf(&out, "<metadata>commit %s, %s</metadata>\n", r.Commit, time.Unix(r.Timestamp, 0).UTC().Format(time.RFC3339))
	fmt.Fprintf(&out, "<style>%s%s</style>\n", style, animation(pace(lines), r.Height))
	fmt.Fprintf(&out, `<clipPath id="screen"><rect x="1" y="%d" width="%d" height="%d"/></clipPath>`+"\n", margin, width-2, r.Height*lineHeight)
	fmt.Fprintf(&out, `<rect class="page" x=".5" y=".5" width="%d" height="%d" rx="8"/>`+"\n", width-1, height-1)
	fmt.Fprintf(&out, `<g clip-path="url(#screen)"><g class="sheet" transform="translate(0 %d)">`+"\n", -scrolled(len(lines), r.Height))
	for i, l := range lines {
		drawLine(&out, l, margin+i*lineHeight+14)
	}
	fmt.Fprintf(&out, `<rect class="curtain" x="1" y="%d" width="%d" height="%d" transform="translate(0 %d)"/>`+"\n",
		margin, width-2, len(lines)*lineHeight, len(lines)*lineHeight)
	out.WriteString("</g></g>\n")
	fmt.Fprintf(&out, `<text class="footer" x="%d" y="%d">%s</text>`+"\n</svg>\n", margin, height-margin,
		escaped(fmt.Sprintf("%s at commit %s: real output and real times; pauses are changed for reading", r.Command, r.Commit)))
	return out.Bytes(), nil
}

// scrolled returns how far the sheet has moved up when so many lines are shown.
func scrolled(shown, rows int) int { return max(0, shown-rows) * lineHeight }

// column is what stands between two gaps of a line: tables stay in line whatever font there is.
var column = regexp.MustCompile(`\S+(?: \S+)*`)

func drawLine(out *bytes.Buffer, l line, y int) {
	if l.text == "" {
		return
	}
	class := ""
	if l.look != plain {
		class = fmt.Sprintf(" class=%q", l.look)
	}
	fmt.Fprintf(out, `<text%s y="%d">`, class, y)
	for _, at := range column.FindAllStringIndex(l.text, -1) {
		before := len([]rune(l.text[:at[0]]))
		fmt.Fprintf(out, `<tspan x="%.1f">%s</tspan>`, margin+float64(before)*charWidth, escaped(l.text[at[0]:at[1]]))
	}
	out.WriteString("</text>\n")
}

// animation returns the style that moves the sheet and the curtain.
func animation(beats []beat, rows int) string {
	var total, passed time.Duration
	for _, b := range beats {
		total += b.hold
	}
	var sheet, curtain strings.Builder
	for _, b := range beats {
		percent := 100 * passed.Seconds() / total.Seconds()
		fmt.Fprintf(&sheet, "%.2f%%{transform:translateY(%dpx)}\n", percent, -scrolled(b.shown, rows))
		fmt.Fprintf(&curtain, "%.2f%%{transform:translateY(%dpx)}\n", percent, b.shown*lineHeight)
		passed += b.hold
	}
	return fmt.Sprintf("@keyframes sheet{\n%s}\n@keyframes curtain{\n%s}\n"+
		"@media (prefers-reduced-motion:no-preference){\n"+
		".sheet{animation:sheet %.1fs step-end infinite}\n.curtain{animation:curtain %.1fs step-end infinite}\n}\n",
		&sheet, &curtain, total.Seconds(), total.Seconds())
}

func escaped(text string) string {
	var out bytes.Buffer
	if err := xml.EscapeText(&out, []byte(text)); err != nil {
		return "" // a buffer takes everything
	}
	return out.String()
}
