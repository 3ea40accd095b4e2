package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What differs from run to run.
var (
	age     = regexp.MustCompile(`^\d+[smhd](\d+[smh])?$`)
	place   = regexp.MustCompile(` deleted from \S+ namespace`) // not every kubectl says where
	varying = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:]+Z|resourceVersion: "\d+"`)
)

// alike tells whether the output is what the document says. A line "..." of the document stands for any lines.
func alike(document, output string) bool {
	return fits(normalised(document), normalised(output))
}

func fits(document, output []string) bool {
	switch {
	case len(document) == 0:
		return len(output) == 0
	case document[0] == "...":
		for skipped := range len(output) + 1 {
			if fits(document[1:], output[skipped:]) {
				return true
			}
		}
		return false
	default:
		return len(output) > 0 && document[0] == output[0] && fits(document[1:], output[1:])
	}
}

// normalised returns the lines of the text that hold something, with one space between words.
func normalised(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		words := strings.Fields(varying.ReplaceAllString(place.ReplaceAllString(line, " deleted"), "<varies>"))
		for i, word := range words {
			if age.MatchString(word) {
				words[i] = "<age>"
			}
		}
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return lines
}

func TestAlike(t *testing.T) {
	tests := map[string]struct {
		document, output string
		want             bool
	}{
		"same":              {"a  b\n", "a b\n", true},
		"another age":       {"NAME  AGE\nx     1s\n", "NAME   AGE\nx      12m3s\n", true},
		"another uid":       {"uid: 6f1c2ab4-0000-4000-8000-00000000000a", "uid: 7f1c2ab4-1111-4111-8111-11111111111b", true},
		"another kubectl":   {"pod \"a\" deleted from b namespace", "pod \"a\" deleted", true},
		"another word":      {"READY\nTrue\n", "READY\nFalse\n", false},
		"a line too many":   {"a\n", "a\nb\n", false},
		"a line too few":    {"a\nb\n", "a\n", false},
		"lines left out":    {"a\n...\nd\n", "a\nb\nc\nd\n", true},
		"nothing left out":  {"a\n...\nb\n", "a\nb\n", true},
		"end is not left":   {"a\n...\nd\n", "a\nd\ne\n", false},
		"nothing, nothing":  {"", "\n", true},
		"something instead": {"", "error\n", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, alike(test.document, test.output))
		})
	}
}

func TestExchanges(t *testing.T) {
	assert.Equal(t, []exchange{
		{command: "kubectl get \\\n  pods\n", output: "a\nb\n"},
		{command: "kubectl delete pod a\n"},
	}, exchanges("$ kubectl get \\\n  pods\na\nb\n$ kubectl delete pod a\n"))
}
