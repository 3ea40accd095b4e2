package oracle

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

const notPermitted = v1.ReasonDestinationNotPermitted

// requirement is one part of a selector, in the forms that tests write: "key", "!key", "key=value", "key!=value", "key in (a,b)" and
// "key notin (a,b)".
var requirement = regexp.MustCompile(`^(!?)\s*([\w./-]+)\s*(?:(=|!=)\s*([\w.-]*)|(in|notin)\s*\(([^()]*)\))?$`)

// looksLimited matches the values that permit some namespaces, and mistakes in them.
var looksLimited = regexp.MustCompile(`(?i)^\s*namespace`)

// permission is in which namespaces the owner of a source permits copies.
type permission struct {
	limited   bool // to namespaces that meet all requirements
	malformed bool
	required  [][]string
}

func permissionOf(source *unstructured.Unstructured) permission {
	value := source.GetAnnotations()[v1.AnnotationProjectable]
	p := permission{limited: looksLimited.MatchString(value)}
	if !p.limited {
		return p
	}
	text, begins := strings.CutPrefix(value, "namespaces:")
	depth := 0
	parts := strings.FieldsFunc(text, func(r rune) bool {
		depth += strings.Count(string(r), "(") - strings.Count(string(r), ")")
		return r == ',' && depth == 0
	})
	p.malformed = !begins || len(parts) == 0
	for _, part := range parts {
		matched := requirement.FindStringSubmatch(strings.TrimSpace(part))
		p.malformed = p.malformed || matched == nil || comparesWithNothing(matched)
		p.required = append(p.required, matched)
	}
	return p
}

// comparesWithNothing tells whether a value in the requirement is empty.
func comparesWithNothing(part []string) bool {
	return part[3] != "" && part[4] == "" || part[5] != "" && slices.ContainsFunc(strings.Split(part[6], ","), func(value string) bool {
		return strings.TrimSpace(value) == ""
	})
}

// permits tells whether a namespace with these labels is permitted.
func (p permission) permits(labels map[string]string) bool {
	if !p.limited {
		return true
	}
	return !p.malformed && !slices.ContainsFunc(p.required, func(part []string) bool { return !meets(part, labels) })
}

func meets(part []string, labels map[string]string) bool {
	value, found := labels[part[2]]
	var values []string
	for listed := range strings.SplitSeq(part[6], ",") {
		values = append(values, strings.TrimSpace(listed))
	}
	switch {
	case part[3] == "=":
		return found && value == part[4]
	case part[3] == "!=":
		return !found || value != part[4]
	case part[5] == "in":
		return found && slices.Contains(values, value)
	case part[5] == "notin":
		return !found || !slices.Contains(values, value)
	default:
		return found == (part[1] == "")
	}
}
