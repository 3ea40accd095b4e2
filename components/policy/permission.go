package policy

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
)

const (
	// maxRequirements is how many requirements a selector of namespaces may have: as many as that of a rule.
	maxRequirements = 100
	// maxSelector is how many bytes a selector of namespaces may have. It is parsed in every reconcile, and compared with each namespace.
	maxSelector = 16 << 10
	// maxQuoted is how many bytes of a selector, or of what the parser says about one, a message quotes.
	maxQuoted = 200
)

// Permission says in which namespaces the owner of a source permits copies. The zero Permission permits them everywhere.
type Permission struct {
	selector labels.Selector
}

// IsLimited reports whether the owner of a source with these annotations permits copies in some namespaces only, or tries to say so. A value
// that begins like one that does is taken for a mistake in it: otherwise a typing error would permit every namespace in permissive mode.
func IsLimited(annotations map[string]string) bool {
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(annotations[v1.AnnotationProjectable])), "namespace")
}

// PermissionOf returns the permission of a source that has these annotations and may be copied at all. An error says that the annotation has
// no valid label selector. Then no namespace is permitted.
func PermissionOf(annotations map[string]string) (Permission, error) {
	if !IsLimited(annotations) {
		return Permission{}, nil
	}
	selector, err := parseSelector(annotations[v1.AnnotationProjectable])
	if err != nil {
		selector = labels.Nothing()
	}
	return Permission{selector}, err
}

// parseSelector parses the selector of a value. An empty selector, or an empty value in it, is an error: a template whose value is missing
// is to permit nothing, and these would select every namespace, or all but some.
func parseSelector(value string) (labels.Selector, error) {
	text, found := strings.CutPrefix(value, v1.ProjectableNamespaces)
	if !found {
		return nil, fmt.Errorf("the value does not begin with %q", v1.ProjectableNamespaces)
	}
	if len(text) > maxSelector {
		return nil, fmt.Errorf("the selector has more than %d bytes", maxSelector)
	}
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, err
	}
	requirements, _ := selector.Requirements()
	switch {
	case len(requirements) == 0:
		return nil, errors.New("the selector is empty")
	case len(requirements) > maxRequirements:
		return nil, fmt.Errorf("the selector has more than %d requirements", maxRequirements)
	}
	for _, requirement := range requirements {
		if requirement.Values().Has("") {
			return nil, fmt.Errorf("the label %s is compared with an empty value", requirement.Key())
		}
	}
	return selector, nil
}

// And returns the permission for what both permit.
func (p Permission) And(other Permission) Permission {
	switch {
	case !p.IsLimited():
		return other
	case !other.IsLimited():
		return p
	}
	requirements, selectable := other.selector.Requirements()
	if !selectable { // it permits nothing
		return other
	}
	return Permission{p.selector.Add(requirements...)}
}

// IsLimited reports whether the permission depends on the labels of a namespace.
func (p Permission) IsLimited() bool { return p.selector != nil }

// Permits reports whether a copy may be in a namespace with these labels.
func (p Permission) Permits(namespace map[string]string) bool {
	return p.selector == nil || p.selector.Matches(labels.Set(namespace))
}

// Refusal says of a namespace that it is not permitted, and which are.
func (p Permission) Refusal() string {
	return "the owner of the source permits copies only in namespaces that match " + quoted(p.selector.String()) +
		"; ask the owner to permit this namespace, or an administrator to label it"
}

// quoted returns the text in one line, or its beginning if it is long.
func quoted(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxQuoted {
		return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return text
}

// parserWords are what the parser of selectors says of itself before it says what is wrong.
var parserWords = strings.NewReplacer("unable to parse requirement: ", "", "<nil>: ", "")

// unparsedSelector is the problem of a source whose annotation has no valid label selector.
func unparsedSelector(name string, err error) Problem {
	return Problem{
		Reason:  v1.ReasonSourceNotProjectable,
		Message: fmt.Sprintf("the annotation %s of %s has no valid label selector after %q", v1.AnnotationProjectable, name, v1.ProjectableNamespaces),
		Advice:  "its owner has to correct it",
		Cause:   quoted(parserWords.Replace(err.Error())),
	}
}
