package convert

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// metadataField is the field with the metadata of an object.
const metadataField = "metadata"

// all is the segment of a path that stands for all elements of a list.
const all = "[*]"

var (
	plainName   = regexp.MustCompile(`^[A-Za-z_$][-A-Za-z0-9_$]*$`)
	aNumber     = regexp.MustCompile(`^-?\d+$`)
	identifiers = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// reserved are names that no expression can select with a dot.
	reserved = []string{"in", "true", "false", "null"}
)

// path is a path in an object: the names of fields, and all for all elements of a list.
type path []string

// parsePath reads a path as api-syncagent has it: names with dots between them, a dot in a name behind a backslash, and # for all elements of a list.
func parsePath(text string) (path, error) {
	var parsed path
	var name strings.Builder
	isEscaped := false
	end := func() error {
		segment, err := segmentOf(name.String())
		name.Reset()
		parsed = append(parsed, segment)
		return err
	}
	for _, char := range strings.TrimPrefix(text, ".") {
		switch {
		case isEscaped:
			isEscaped = false
			name.WriteRune(char)
		case char == '\\':
			isEscaped = true
		case char == '.':
			if err := end(); err != nil {
				return nil, err
			}
		case strings.ContainsRune(`|*?@{}[]()!`, char):
			return nil, fmt.Errorf("the path %s has a query or a modifier", text)
		default:
			name.WriteRune(char)
		}
	}
	return parsed, end()
}

func segmentOf(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the path has an empty name")
	case name == "#":
		return all, nil
	case aNumber.MatchString(name):
		return "", errors.New("the path names an element of a list by its number: name it by the value of a field, such as [name=web]")
	default:
		return name, nil
	}
}

// String returns the path as PublishedResources have it.
func (p path) String() string {
	var text strings.Builder
	for i, name := range p {
		switch {
		case name == all:
			text.WriteString(name)
		case plainName.MatchString(name):
			if i > 0 {
				text.WriteByte('.')
			}
			text.WriteString(name)
		default:
			text.WriteString(`["` + name + `"]`)
		}
	}
	return text.String()
}

// in returns the expression for the value at the path in a variable, and that for whether there is one.
func (p path) in(variable string) (value, exists string) {
	values, optional := strings.Builder{}, strings.Builder{}
	for _, name := range p {
		if identifiers.MatchString(name) && !slices.Contains(reserved, name) {
			values.WriteString("." + name)
			optional.WriteString(".?" + name)
			continue
		}
		values.WriteString("[" + quote(name) + "]")
		optional.WriteString("[?" + quote(name) + "]")
	}
	return variable + values.String(), variable + optional.String() + ".hasValue()"
}

// has reports whether some segment is that for all elements of a list.
func (p path) hasAll() bool { return slices.Contains(p, all) }

// isContent reports whether the path can be that of content of a copy.
func (p path) isContent() bool {
	return !slices.Contains([]string{"apiVersion", "kind", metadataField, "status"}, p[0])
}

// isSettable reports whether a field of a copy can be set at the path: content, or one label or annotation.
func (p path) isSettable() bool {
	if p[0] == metadataField {
		return len(p) == 3 && (p[1] == "labels" || p[1] == "annotations") && !strings.HasPrefix(p[2], "projection.sh/")
	}
	return p.isContent()
}

// isStatus reports whether the path is that of a field of the status.
func (p path) isStatus() bool { return len(p) > 1 && p[0] == "status" }

// quote returns the text as expressions have it.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "'"
}
