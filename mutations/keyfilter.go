package mutations

import (
	"slices"
	"strings"
)

// anyCharacters stands for any characters in the pattern of a key, none among them.
const anyCharacters = "*"

// KeyFilter chooses keys by patterns. A pattern is a key in which "*" stands for any characters, none among them, "/" and "." too.
type KeyFilter struct {
	// Include are the keys that are copied; empty: all.
	Include []string
	// Exclude are the keys that are not copied, though Include has them.
	Exclude []string
}

// Keeps reports whether the key is copied.
func (f KeyFilter) Keeps(key string) bool {
	fits := func(pattern string) bool { return fitsKey(pattern, key) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, fits)) && !slices.ContainsFunc(f.Exclude, fits)
}

// IsPattern reports whether the text stands for more than one key.
func IsPattern(text string) bool { return strings.Contains(text, anyCharacters) }

func (f KeyFilter) isZero() bool { return len(f.Include)+len(f.Exclude) == 0 }

// fitsKey reports whether the pattern is one of the whole key.
func fitsKey(pattern, key string) bool {
	first, others, several := strings.Cut(pattern, anyCharacters)
	if !several {
		return pattern == key
	}
	key, found := strings.CutPrefix(key, first)
	parts := strings.Split(others, anyCharacters)
	last := len(parts) - 1
	for _, part := range parts[:last] {
		if !found {
			return false
		}
		_, key, found = strings.Cut(key, part) // the first place leaves most for the parts behind it
	}
	return found && strings.HasSuffix(key, parts[last])
}
