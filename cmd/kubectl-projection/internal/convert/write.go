package convert

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// Write writes the PublishedResource as a document of a YAML file, below comments with what its author has to know.
func (r *Result) Write(out io.Writer) error {
	text, err := r.yaml()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "---"); err != nil {
		return err
	}
	for _, line := range r.Lines() {
		if _, err := fmt.Fprintln(out, "# "+line); err != nil {
			return err
		}
	}
	_, err = out.Write(text)
	return err
}

// Lines are the notes, those first about what is not converted. No sentence has more than a line.
func (r *Result) Lines() (lines []string) {
	for _, lost := range r.Lost {
		lines = append(lines, printable("NOT CONVERTED "+lost.String()))
	}
	for _, note := range r.Notes {
		lines = append(lines, printable(note.String()))
	}
	return lines
}

func printable(line string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsPrint(char) {
			return char
		}
		return '?'
	}, line)
}

// yaml returns the resource without its status.
func (r *Result) yaml() ([]byte, error) {
	encoded, err := json.Marshal(r.Resource)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(encoded, &fields); err != nil {
		return nil, err
	}
	delete(fields, "status")
	return yaml.Marshal(fields)
}
