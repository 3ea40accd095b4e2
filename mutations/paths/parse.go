package paths

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxLength is how many characters a path may have.
const MaxLength = 512

// SyntaxError says that a text is no path.
type SyntaxError struct {
	// Text is what was to be parsed.
	Text string
	// Rest is the part of the text that could not be read.
	Rest string
}

func (e *SyntaxError) Error() string {
	switch {
	case utf8.RuneCountInString(e.Text) > MaxLength:
		return fmt.Sprintf("a path has at most %d characters", MaxLength)
	case e.Text == e.Rest:
		return fmt.Sprintf("%q is not the path of a field: it does not begin with a name", e.Text)
	default:
		return fmt.Sprintf("%q is not the path of a field: %q cannot be read", e.Text, e.Rest)
	}
}

// Parse returns the path of that text. An error is a SyntaxError.
func Parse(text string) (Path, error) {
	if utf8.RuneCountInString(text) > MaxLength {
		return Path{}, &SyntaxError{Text: text, Rest: text}
	}
	name, rest := cutName(text)
	if name == "" {
		return Path{}, &SyntaxError{Text: text, Rest: text}
	}
	steps := []Step{{Field: name}}
	for rest != "" {
		step, after, ok := cutStep(rest)
		if !ok {
			return Path{}, &SyntaxError{Text: text, Rest: rest}
		}
		steps, rest = append(steps, step), after
	}
	return Path{text: text, steps: steps}, nil
}

// ParseAll returns the paths of these texts.
func ParseAll(texts []string) ([]Path, error) {
	parsed := make([]Path, len(texts))
	for i, text := range texts {
		path, err := Parse(text)
		if err != nil {
			return nil, err
		}
		parsed[i] = path
	}
	return parsed, nil
}

// cutStep cuts the first step off a text that is not empty.
func cutStep(text string) (step Step, rest string, ok bool) {
	if after, found := strings.CutPrefix(text, "."); found {
		name, rest := cutName(after)
		return Step{Field: name}, rest, name != ""
	}
	if after, found := strings.CutPrefix(text, `["`); found {
		name, rest, closed := strings.Cut(after, `"`)
		rest, bracket := strings.CutPrefix(rest, "]")
		return Step{Field: name}, rest, closed && bracket && name != "" && !strings.Contains(name, `\`)
	}
	if after, found := strings.CutPrefix(text, "[*]"); found {
		return Step{}, after, true
	}
	after, found := strings.CutPrefix(text, "[")
	inner, rest, closed := strings.Cut(after, "]")
	if !found || !closed {
		return Step{}, "", false
	}
	for condition := range strings.SplitSeq(inner, ",") {
		key, value, _ := strings.Cut(condition, "=")
		if !isKey(key) || value == "" || strings.ContainsAny(value, `="[`) {
			return Step{}, "", false
		}
		step.Where = append(step.Where, Condition{Key: key, Value: value})
	}
	return step, rest, true
}

// cutName cuts the longest name off the text; the name is empty if the text does not begin with one.
func cutName(text string) (name, rest string) {
	end := 0
	for end < len(text) && (isLetter(text[end]) || text[end] == '_' || text[end] == '$' || end > 0 && (isDigit(text[end]) || text[end] == '-')) {
		end++
	}
	return text[:end], text[end:]
}

// isKey reports whether the text can be the key of a condition: letters and digits, with a letter in front.
func isKey(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && (i == 0 || !isDigit(text[i])) {
			return false
		}
	}
	return text != ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
