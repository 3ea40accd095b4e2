package convert

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// function returns the result of a function of Go templates, sprig or api-syncagent for as many arguments as it has; the last one may be piped.
type function struct {
	arguments int
	of        func(arguments []term) (text string, isConvertible bool)
}

// textOf are functions of one text.
func textOf(format string) function {
	return function{1, func(of []term) (string, bool) { return fmt.Sprintf(format, of[0].asText()), true }}
}

var functions = map[string]function{
	"lower": textOf("%s.lowerAscii()"), "upper": textOf("%s.upperAscii()"), "trim": textOf("%s.trim()"), "toString": textOf("%s"),
	"replace": {3, func(of []term) (string, bool) {
		return of[2].asText() + ".replace(" + of[0].asText() + ", " + of[1].asText() + ")", true
	}},
	"trunc": {2, func(of []term) (string, bool) {
		length, text := of[0].constant, of[1].asText()
		_, err := strconv.ParseUint(length, 10, 16) // a negative one counts from the end
		return "(size(" + text + ") > " + length + " ? " + text + ".substring(0, " + length + ") : " + text + ")", err == nil
	}},
	"index": {2, func(of []term) (string, bool) {
		return "string(" + of[0].text + "[" + of[1].text + "])", of[1].isConstant
	}},
}

// hashFunctions are those with a hash of a text.
var hashFunctions = []string{"sha3sum", "sha3short", "shortHash", "sha256sum", "sha1sum"}

// call returns the result of the function.
func (t *translator) call(name string, arguments []term) (term, error) {
	known, isKnown := functions[name]
	switch {
	case slices.Contains(hashFunctions, name) && len(arguments) > 0:
		t.made.hashes = true
		return term{text: "hash(" + hashedOf(arguments).asText() + ")", isText: true}, nil
	case name == "printf" && len(arguments) > 0 && arguments[0].isConstant:
		return printf(arguments[0].constant, arguments[1:])
	case isKnown && len(arguments) == known.arguments:
		if text, isConvertible := known.of(arguments); isConvertible {
			return term{text: text, isText: true}, nil
		}
	}
	return term{}, fmt.Errorf("the template calls the function %s", name)
}

// hashedOf returns the text of which a hash is made: the argument that is not the length.
func hashedOf(arguments []term) term {
	isLength := func(argument term) bool {
		_, err := strconv.Atoi(argument.constant)
		return argument.isConstant && err == nil && !argument.isText
	}
	if i := slices.IndexFunc(arguments, func(argument term) bool { return !isLength(argument) }); i >= 0 {
		return arguments[i]
	}
	return arguments[0]
}

// printf returns the text of a format that has nothing but %s and %v.
func printf(format string, arguments []term) (term, error) {
	pieces := strings.Split(strings.ReplaceAll(format, "%v", "%s"), "%s")
	if len(pieces) != len(arguments)+1 || strings.Contains(strings.Join(pieces, ""), "%") {
		return term{}, errors.New("the template calls the function printf with a format that has more than %s")
	}
	var parts []string
	for i, piece := range pieces {
		if piece != "" {
			parts = append(parts, quote(piece))
		}
		if i < len(arguments) {
			parts = append(parts, arguments[i].asText())
		}
	}
	return term{text: "(" + strings.Join(parts, " + ") + ")", isText: true}, nil
}
