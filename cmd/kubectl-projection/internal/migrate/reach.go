package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
)

// reach is a set of namespaces, as other tools write it. The zero reach has none.
type reach struct {
	all      bool
	patterns []pattern
	selector labels.Selector
	// narrowed reports whether something else narrows it, so that no selector has the same namespaces.
	narrowed bool
	// broken are the parts that cannot be read.
	broken []string
}

// pattern is a regular expression for the whole name of a namespace.
type pattern struct {
	text    string
	matches *regexp.Regexp
}

// everywhere has all namespaces.
var everywhere = reach{all: true}

const (
	// maxQuoted is how much of a pattern or selector is quoted.
	maxQuoted = 200
	// maxRead is how long a pattern or selector may be, as long as the value of the annotation projection.sh/projectable.
	maxRead = 16 << 10
)

// whole matches the whole name of a namespace.
func whole(text string) string { return "^(?:" + text + ")$" }

// readPatterns adds the patterns of a list with commas, each as the tool compiles it.
func (r *reach) readPatterns(list string, compiled func(string) string) {
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		matches, err := regexp.Compile(compiled(text))
		switch {
		case err != nil || len(text) > maxRead:
			r.broken = append(r.broken, shortened(text))
		case text == ".*":
			r.all = true
		default:
			r.patterns = append(r.patterns, pattern{text, matches})
		}
	}
}

// readSelector adds the namespaces that a label selector selects.
func (r *reach) readSelector(text string) {
	text = strings.TrimSpace(text)
	selector, err := labels.Parse(text)
	switch {
	case text == "":
	case err != nil || len(text) > maxRead:
		r.broken = append(r.broken, shortened(text))
	default:
		r.selector = selector
	}
}

// shortened returns as much of the text as is quoted.
func shortened(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "") + "..."
}

func (r *reach) has(namespace string, labelled map[string]string) bool {
	return r.all || r.selector != nil && r.selector.Matches(labels.Set(labelled)) ||
		slices.ContainsFunc(r.patterns, func(p pattern) bool { return p.matches.MatchString(namespace) })
}

func (r *reach) isEmpty() bool { return !r.all && r.selector == nil && len(r.patterns) == 0 }

// namespaceName matches a pattern that is the name of one namespace.
var namespaceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// names returns the namespaces if each pattern is the name of one, and there is no selector.
func (r *reach) names() ([]string, bool) {
	var names []string
	for _, p := range r.patterns {
		if !namespaceName.MatchString(p.text) {
			return nil, false
		}
		names = append(names, p.text)
	}
	return names, len(names) > 0 && r.selector == nil && !r.all
}

// maxRequirements is how many parts of each sort a selector of a rule may have.
const maxRequirements = 50

// namespaceSelector returns the selector of a rule for the same namespaces, if there is one.
func (r *reach) namespaceSelector() (*v1.NamespaceSelector, bool) {
	switch {
	case r.narrowed:
		return nil, false
	case r.all:
		return &v1.NamespaceSelector{}, true
	case r.selector == nil || len(r.patterns) > 0:
		return nil, false
	}
	selector, err := metav1.ParseToLabelSelector(r.selector.String())
	requirements, _ := r.selector.Requirements()
	isWidened := err == nil && len(requirements) != len(selector.MatchLabels)+len(selector.MatchExpressions) // a key occurs twice
	if err != nil || isWidened || len(selector.MatchLabels) > maxRequirements || len(selector.MatchExpressions) > maxRequirements {
		return nil, false
	}
	converted := &v1.NamespaceSelector{MatchLabels: selector.MatchLabels}
	for _, requirement := range selector.MatchExpressions {
		if len(requirement.Values) > maxRequirements {
			return nil, false
		}
		converted.MatchExpressions = append(converted.MatchExpressions, v1.NamespaceSelectorRequirement(requirement))
	}
	return converted, true
}

// String says which namespaces these are. What users have written is quoted.
func (r *reach) String() string {
	var parts []string
	if r.all {
		return "all"
	}
	for _, p := range r.patterns {
		parts = append(parts, fmt.Sprintf("%q", shortened(p.text)))
	}
	if r.selector != nil {
		parts = append(parts, fmt.Sprintf("the selector %q", shortened(r.selector.String())))
	}
	return strings.Join(parts, ", ")
}

// consentFor returns the value of projection.sh/projectable that permits the namespaces of these copies.
func consentFor(copies []Ref) string {
	names := namespacesOf(copies)
	slices.Sort(names)
	return v1.ProjectableNamespaces + " kubernetes.io/metadata.name in (" + strings.Join(slices.Compact(names), ",") + ")"
}

// consent returns the value of projection.sh/projectable that permits these namespaces, and whether it permits no other.
func consent(permitted []reach) (value string, exact bool) {
	permitted = slices.DeleteFunc(permitted, func(r reach) bool { return r.isEmpty() })
	permitted = slices.CompactFunc(permitted, func(a, b reach) bool { return a.String() == b.String() })
	if len(permitted) != 1 {
		return v1.ProjectableTrue, slices.ContainsFunc(permitted, func(r reach) bool { return r.all })
	}
	only := permitted[0]
	if names, isList := only.names(); isList {
		return v1.ProjectableNamespaces + " kubernetes.io/metadata.name in (" + strings.Join(names, ",") + ")", true
	}
	if !only.all && only.selector != nil && len(only.patterns) == 0 {
		return v1.ProjectableNamespaces + " " + only.selector.String(), true
	}
	return v1.ProjectableTrue, only.all
}
