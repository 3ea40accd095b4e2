package main

import (
	"fmt"
	"strings"
	"time"
)

// look is how a line is drawn: a class of the style sheet.
type look string

const (
	plain   look = ""
	command look = "command"
	heading look = "heading"
	result  look = "result"
)

// The escape sequences that the demo begins a line with, and the one that it ends it with.
var (
	looks = map[string]look{"\x1b[1m": command, "\x1b[1;36m": heading, "\x1b[1;32m": result}
	reset = "\x1b[0m"
)

// line is a line of the screen.
type line struct {
	at   time.Duration
	look look
	text string
}

// screen returns the lines that the recording leaves in a terminal: the command itself, and what it printed, broken at the edge.
func screen(r *recording) ([]line, error) {
	lines := []line{{look: command, text: "$ " + r.Command}}
	for _, printed := range r.printed {
		look, text := plain, printed.text
		for sequence, its := range looks {
			if styled, found := strings.CutPrefix(text, sequence); found {
				look, text = its, strings.TrimSuffix(styled, reset)
				break
			}
		}
		if strings.ContainsRune(text, '\x1b') {
			return nil, fmt.Errorf("there is no way to draw the escape sequence in %q", text)
		}
		for _, row := range wrap(text, r.Width) {
			lines = append(lines, line{printed.at, look, row})
		}
	}
	return lines, nil
}

// wrap breaks a text as a terminal does: wherever the row is full.
func wrap(text string, width int) []string {
	var broken []string
	rest := []rune(text)
	for len(rest) > width {
		broken, rest = append(broken, string(rest[:width])), rest[width:]
	}
	return append(broken, string(rest))
}
