package mutations

import (
	"regexp"
	"strconv"
	"strings"
)

// keyRenames are the renames of a DataFilter, ready to be applied.
type keyRenames []keyRename

// keyRename is one of them. A nil pattern says that it is of the key from.
type keyRename struct {
	from    string
	pattern *regexp.Regexp
	to      []templatePart
}

// templatePart is a part of the new name: a text or, if the text is empty, what a group of the pattern has matched.
type templatePart struct {
	text  string
	group int
}

func parseRenames(renames []KeyRename) (keyRenames, error) {
	parsed := make(keyRenames, len(renames))
	for i, rename := range renames {
		var err error
		if parsed[i], err = parseRename(rename); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

func parseRename(rename KeyRename) (keyRename, error) {
	if (rename.From == "") == (rename.Pattern == "") {
		return keyRename{}, inputError("the new name %s is for no key, or for a key and a pattern", rename.To)
	}
	if rename.From != "" {
		return keyRename{from: rename.From, to: []templatePart{{text: rename.To}}}, nil
	}
	if strings.Contains(rename.Pattern, "{") {
		return keyRename{}, inputError("%q has a repetition with a count, which can cost too much: write + or * instead", rename.Pattern)
	}
	if _, err := regexp.Compile(rename.Pattern); err != nil { // by itself: "a)|(b" is none, though it is one in parentheses
		return keyRename{}, inputError("%q is no regular expression in the syntax of RE2: %v", rename.Pattern, err)
	}
	whole, err := regexp.Compile(`^(?:` + rename.Pattern + `)$`)
	if err != nil {
		return keyRename{}, inputError("%q is no regular expression in the syntax of RE2: %v", rename.Pattern, err)
	}
	to, err := parseTemplate(rename.To, whole)
	return keyRename{pattern: whole, to: to}, err
}

// reference is a reference to a group of a pattern, or a "$" that is none.
var reference = regexp.MustCompile(`\$(?:([0-9]+)|\{([0-9]+)\})?`)

// parseTemplate returns the parts of a name in which $1 or ${1} stands for a group of the pattern. The digits end where others begin:
// in "$1x", the group is 1.
func parseTemplate(text string, pattern *regexp.Regexp) ([]templatePart, error) {
	var parts []templatePart
	rest := 0
	for _, at := range reference.FindAllStringIndex(text, -1) {
		digits := strings.Trim(text[at[0]:at[1]], "${}")
		group, err := strconv.Atoi(digits)
		if err != nil || group > pattern.NumSubexp() {
			return nil, inputError("the new name %q refers to a group that the pattern does not have: write $1 for its first one", text)
		}
		if at[0] > rest {
			parts = append(parts, templatePart{text: text[rest:at[0]]})
		}
		parts, rest = append(parts, templatePart{group: group}), at[1]
	}
	if rest < len(text) {
		parts = append(parts, templatePart{text: text[rest:]})
	}
	return parts, nil
}

// maxMatching bounds what patterns may cost: the length of all patterns times that of all keys. Without counted repetitions, a pattern
// costs no more than its length for each character of a key.
const maxMatching = 20_000_000

// checkCost refuses renames that would take too long for these keys.
func checkCost(renames []KeyRename, keys []string) error {
	patterns, characters := 0, 0
	for _, rename := range renames {
		patterns += len(rename.Pattern)
	}
	for _, key := range keys {
		characters += len(key)
	}
	if patterns*characters > maxMatching {
		return sourceError("the patterns of the new names are too long for so many keys: name fewer of them by pattern")
	}
	return nil
}

// nameOf returns the name of the key in the copy, and whether it is a new one.
func (r keyRenames) nameOf(key string) (name string, renamed bool) {
	for _, rename := range r {
		if rename.pattern == nil && rename.from == key {
			return rename.expand(nil), true
		}
		if rename.pattern == nil {
			continue
		}
		if groups := rename.pattern.FindStringSubmatch(key); groups != nil {
			return rename.expand(groups), true
		}
	}
	return key, false
}

// expand returns the new name of a key for which the pattern has matched these groups; nil: of the key from.
func (r keyRename) expand(groups []string) string {
	var name strings.Builder
	for _, part := range r.to {
		if part.text != "" || groups == nil {
			name.WriteString(part.text)
		} else {
			name.WriteString(groups[part.group])
		}
	}
	return name.String()
}
