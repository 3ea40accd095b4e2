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
	// maxQuoted is how many bytes of a selector, or of what the parser says about one, a message quotes.
	maxQuoted = 200
)

// Permission says in which namespaces the owner of a source permits copies. The zero Permission permits them everywhere.
type Permission struct {
	selector labels.Selector
}

// PermissionOf returns the permission of a source that has these annotations and may be copied at all. An error says that the annotation is
// no label selector. Then no namespace is permitted.
func PermissionOf(annotations map[string]string) (Permission, error) {
	text, limited := strings.CutPrefix(annotations[v1.AnnotationProjectable], v1.ProjectableNamespaces)
	if !limited {
		return Permission{}, nil
	}
	selector, err := parseSelector(text)
	return Permission{selector}, err
}

// parseSelector returns a selector that selects nothing if there is an error. An empty selector would select every namespace, and is an error:
// who leaves a value out by mistake permits nothing.
func parseSelector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return labels.Nothing(), err
	}
	requirements, _ := selector.Requirements()
	switch {
	case len(requirements) == 0:
		return labels.Nothing(), errors.New("the selector is empty")
	case len(requirements) > maxRequirements:
		return labels.Nothing(), fmt.Errorf("the selector has more than %d requirements", maxRequirements)
	}
	return selector, nil
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
		"; ask the owner, or somebody who can label namespaces"
}

// quoted returns the text in one line, or its beginning if it is long.
func quoted(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxQuoted {
		return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
	}
	return text
}
