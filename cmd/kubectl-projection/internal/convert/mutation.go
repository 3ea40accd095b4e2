package convert

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/expressions"
)

// direction is where a mutation leads.
type direction struct {
	// names are what templates know, without the value at the path.
	names scope
	// mayExclude and maySet report whether a path can be left out, or set, and paths says which can.
	mayExclude, maySet   func(path) bool
	excludable, settable string
	exclude              func(string)
	set                  func(at, expression string)
	// done are the paths of former steps.
	done []path
}

// mutation converts the steps, of which each sees the result of those before it in api-syncagent.
func (r *Result) mutation(from theirMutations) {
	to := &r.Resource.Spec.Mutation
	toService := &direction{
		names: scope{
			refused: map[string]string{"RemoteObject": "the template reads .RemoteObject: an expression knows one object, that of the consumer"},
			refuses: func(_ string, below path) string {
				if len(below) > 1 && below[0] == metadataField && (below[1] == "name" || below[1] == "namespace") {
					return "the template reads the name or the namespace of the copy, which expressions do not know"
				}
				return ""
			},
		},
		mayExclude: path.isContent, maySet: path.isSettable, excludable: "fields of the content", settable: "fields of the content, labels and annotations",
		exclude: func(at string) { to.ToService.Exclude = append(to.ToService.Exclude, at) },
		set: func(at, expression string) {
			to.ToService.Fields = append(to.ToService.Fields, v1alpha1.ServiceField{Path: at, Expression: expression})
		},
	}
	toConsumer := &direction{
		names: scope{
			refused: map[string]string{"RemoteObject": "the template reads .RemoteObject: an expression knows one object, the copy in the cluster of the service"},
		},
		mayExclude: path.isStatus, maySet: path.isStatus, excludable: "fields of the status", settable: "fields of the status",
		exclude: func(at string) { to.ToConsumer.Exclude = append(to.ToConsumer.Exclude, at) },
		set: func(at, expression string) {
			to.ToConsumer.Fields = append(to.ToConsumer.Fields, v1alpha1.StatusField{Path: at, Expression: expression})
		},
	}
	for i, step := range from.Spec {
		r.step(fmt.Sprintf("spec.mutation.spec[%d]", i), step, toService)
	}
	for i, step := range from.Status {
		r.step(fmt.Sprintf("spec.mutation.status[%d]", i), step, toConsumer)
	}
}

// step converts one step.
func (r *Result) step(field string, step theirMutation, to *direction) {
	switch {
	case step.Delete != nil:
		r.remove(field+".delete", step.Delete.Path, to)
	case step.Regex != nil:
		r.change(field+".regex", step.Regex.Path, to, func(at path) (expression, error) { return replaced(*step.Regex, at) })
	case step.Template != nil:
		r.change(field+".template", step.Template.Path, to, func(at path) (expression, error) {
			names, value := to.names, at
			known, exists := value.in(objectVariable)
			names.roots = map[string]string{"LocalObject": objectVariable, "Value": known}
			names.exists = map[string]string{"Value": exists}
			return names.translate(step.Template.Template)
		})
	case step.CEL != nil:
		r.change(field+".cel", step.CEL.Path, to, func(at path) (expression, error) { return renamed(step.CEL.Expression, at) })
	default:
		r.lose(field, "the step has none of delete, regex, template and cel")
	}
}

func (r *Result) remove(field, text string, to *direction) {
	at, err := parsePath(text)
	switch {
	case err != nil:
		r.lose(field, "%s", err)
	case !to.mayExclude(at):
		r.lose(field, "the path %s cannot be left out: only %s can be", at, to.excludable)
	case to.hasDone(at):
		r.lose(field, "an earlier step changes %s: fields are set after others are left out, whatever their order is", at)
	default:
		to.exclude(at.String())
		to.done = append(to.done, at)
	}
}

// change converts a step that sets the field at the path.
func (r *Result) change(field, text string, to *direction, of func(path) (expression, error)) {
	at, err := parsePath(text)
	switch {
	case err != nil:
		r.lose(field, "%s", err)
		return
	case at.hasAll():
		r.lose(field, "the elements of a list cannot be set from their own values: write an expression for the list")
		return
	case !to.maySet(at):
		r.lose(field, "the path %s cannot be set: only %s can be", at, to.settable)
		return
	case to.isSet(at):
		r.lose(field, "an earlier step sets %s, and a field has one expression: write one for both steps", at)
		return
	}
	made, err := of(at)
	if err == nil {
		_, err = expressions.CompilePublishedFields("", []expressions.Field{{Path: at.String(), Expression: made.guarded()}})
	}
	if err != nil {
		r.lose(field, "%s: write an expression for %s", sentence(err), at)
		return
	}
	if made.hashes {
		r.note(field, "the hash is another one than that of api-syncagent")
	}
	for _, earlier := range to.done {
		if value, _ := earlier.in(objectVariable); strings.Contains(made.text, value) {
			r.note(field, "the expression reads %s as it was before the earlier step", earlier)
		}
	}
	to.set(at.String(), made.guarded())
	to.done = append(to.done, at)
}

// sentence returns the error without the field, which is named before.
func sentence(err error) string {
	if compiled, ok := errors.AsType[*expressions.CompileError](err); ok {
		return "the expression does not compile: " + compiled.Error()
	}
	return err.Error()
}

// hasDone reports whether a former step is about the path, or one above or below it.
func (d *direction) hasDone(at path) bool {
	return slices.ContainsFunc(d.done, func(earlier path) bool {
		shorter := min(len(earlier), len(at))
		return slices.Equal(earlier[:shorter], at[:shorter])
	})
}

// isSet reports whether a former step is about the same path.
func (d *direction) isSet(at path) bool {
	return slices.ContainsFunc(d.done, func(earlier path) bool { return slices.Equal(earlier, at) })
}

// wholeValues are patterns that match a value as a whole, and groupOne what stands for the value in a replacement.
var (
	wholeValues = []string{"(.+)", "^(.+)$", "(.*)", "^(.*)$"}
	groupOne    = regexp.MustCompile(`\$\{1\}|\$1\b|\\1`)
)

// replaced returns the value at the path after the replacement.
func replaced(from theirRegex, at path) (expression, error) {
	if from.Pattern == "" {
		return expression{text: quote(from.Replacement)}, nil
	}
	value, exists := at.in(objectVariable)
	value = "string(" + value + ")"
	made := expression{needs: []string{exists}}
	rest := groupOne.ReplaceAllString(from.Replacement, "")
	isText := rest == from.Replacement
	switch {
	case strings.ContainsAny(rest, `$\`):
		return expression{}, fmt.Errorf("the replacement %s has more than the first group", from.Replacement)
	case slices.Contains(wholeValues, from.Pattern):
		made.text = withGroups(from.Replacement, value)
	case isText && from.Pattern == "^":
		made.text = quote(from.Replacement) + " + " + value
	case isText && from.Pattern == "$":
		made.text = value + " + " + quote(from.Replacement)
	case isText && regexp.QuoteMeta(from.Pattern) == from.Pattern:
		made.text = value + ".replace(" + quote(from.Pattern) + ", " + quote(from.Replacement) + ")"
	default:
		return expression{}, fmt.Errorf("expressions have no replacement by a pattern such as %s", from.Pattern)
	}
	return made, nil
}

// withGroups returns the expression for a replacement with the value in the places of its group.
func withGroups(replacement, value string) string {
	var parts []string
	last := 0
	for _, group := range groupOne.FindAllStringIndex(replacement, -1) {
		if before := replacement[last:group[0]]; before != "" {
			parts = append(parts, quote(before))
		}
		parts = append(parts, value)
		last = group[1]
	}
	if after := replacement[last:]; after != "" || len(parts) == 0 {
		parts = append(parts, quote(after))
	}
	return strings.Join(parts, " + ")
}

var (
	// words are strings of CEL, which stay as they are, and words, with what is before and behind them.
	words    = regexp.MustCompile(`[rRbB]*("""(?s:.*?)"""|'''(?s:.*?)'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?:\.\s*)?[A-Za-z_][A-Za-z0-9_]*`)
	declares = regexp.MustCompile(`\(\s*(self|value|other)\s*,`)
)

// renamed returns the expression of api-syncagent with our names of variables.
func renamed(text string, at path) (expression, error) {
	if declares.MatchString(text) {
		return expression{}, errors.New("the expression has a loop whose variable is called self, value or other")
	}
	value, exists := at.in(objectVariable)
	var made expression
	var err error
	made.text = words.ReplaceAllStringFunc(text, func(word string) string {
		switch word {
		case "self":
			return objectVariable
		case "value":
			made.needs = []string{exists}
			return value
		case "other":
			err = errors.New("the expression reads other: an expression knows one object")
		}
		return word
	})
	return made, err
}
