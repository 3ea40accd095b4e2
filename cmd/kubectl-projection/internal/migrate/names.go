package migrate

import (
	"fmt"
	"regexp"
	"strings"

	v1 "projection.sh/operator/api/v1"
)

// names gives each rule a name that no other has.
type names struct{ taken map[string]bool }

func newNames(rules []*v1.ClusterProjection) *names {
	n := &names{map[string]bool{}}
	for _, rule := range rules {
		n.taken[rule.Name] = true
	}
	return n
}

// notInNames matches what the name of a rule cannot have, and emptyParts dots beside what is no part of a name. Roles can be called what rules cannot.
var (
	notInNames = regexp.MustCompile(`[^a-z0-9.-]+`)
	emptyParts = regexp.MustCompile(`[.-]*[.][.-]*`)
)

// maxRuleName leaves room for a number at the end of the longest name.
const maxRuleName = 240

// next returns a name for a rule: that of the copies, with the namespace of the source in front or a number at the end if it is taken.
func (n *names) next(it *group) string {
	for i := range len(n.taken) + 3 {
		name := it.name
		switch {
		case i == 1:
			name = it.source.Namespace + "-" + it.name
		case i > 1:
			name = fmt.Sprintf("%s-%d", it.name, i)
		}
		name = emptyParts.ReplaceAllString(notInNames.ReplaceAllString(strings.ToLower(name), "-"), ".")
		name = strings.Trim(name, "-.")
		if name = strings.TrimRight(name[:min(len(name), maxRuleName)], "-."); !n.taken[name] && name != "" {
			n.taken[name] = true
			return name
		}
	}
	return "migrated" // not reached: one of so many numbers is free
}
