package cli

import (
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable is a writer that lets no control characters pass but line breaks. Annotations, and messages that quote them, are written by others, and
// could control the terminal.
type printable struct {
	to io.Writer
	// rest begins a character that the next write ends.
	rest []byte
}

// Write writes the text with a replacement for each character that is not printable.
func (p *printable) Write(text []byte) (int, error) {
	all := slices.Concat(p.rest, text)
	p.rest = nil
	var clean strings.Builder
	for len(all) > 0 {
		if !utf8.FullRune(all) {
			p.rest = slices.Clone(all)
			break
		}
		character, size := utf8.DecodeRune(all)
		all = all[size:]
		if !unicode.IsPrint(character) && character != '\n' {
			character = utf8.RuneError
		}
		clean.WriteRune(character)
	}
	_, err := io.WriteString(p.to, clean.String())
	return len(text), err
}
