package source

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// suggest asks whether the rule means another kind, as its author may have left out the group or misspelled a name; empty if no kind is
// similar. The kind itself in another group comes first, then the most similar kind of the group, then that of another one. Of a group
// that is not served, the kind may just not be installed yet, so only groups with a similar name count.
//
// Example: a rule names the kind Deployment without a group. The answer is: did you mean source.group: apps?
func (s *servedAPI) suggest(wanted schema.GroupVersionKind) string {
	within := len(wanted.Kind) / lettersPerMistake
	own := func(group string) bool { return group == wanted.Group }
	others := func(group string) bool {
		return !own(group) && (s.group(wanted.Group) != nil || isSimilarGroup(group, wanted.Group))
	}
	for _, try := range []struct {
		groups func(string) bool
		within int
	}{{others, 0}, {own, within}, {others, within}} {
		if meant, found := s.nearest(wanted, try.within, try.groups); found {
			return didYouMean(wanted.GroupKind(), meant)
		}
	}
	return ""
}

// lettersPerMistake is how many letters a name has for each one that may be wrong.
const lettersPerMistake = 4

// isSimilarGroup reports whether somebody may have written one group and meant the other.
func isSimilarGroup(served, written string) bool {
	return strings.HasPrefix(served, written+".") || editDistance(served, written) <= max(1, len(written)/lettersPerMistake)
}

func didYouMean(written, meant schema.GroupKind) string {
	var fields []string
	if meant.Kind != written.Kind {
		fields = append(fields, "source.kind: "+meant.Kind)
	}
	switch meant.Group {
	case written.Group:
	case corev1.GroupName:
		fields = append(fields, "no source.group")
	default:
		fields = append(fields, "source.group: "+meant.Group)
	}
	return "did you mean " + strings.Join(fields, " and ") + "?"
}

// nearest returns the namespaced kind of the groups whose name is most similar to that of the wanted one, and differs in at most so many
// letters. Of kinds that are equally similar, the first in the API server's answer counts.
func (s *servedAPI) nearest(wanted schema.GroupVersionKind, within int, groups func(string) bool) (nearest schema.GroupKind, found bool) {
	for _, group := range s.groups {
		if !groups(group.Name) {
			continue
		}
		for _, version := range group.Versions {
			for _, kind := range namespacedKinds(s.resources[schema.GroupVersion{Group: group.Name, Version: version.Version}]) {
				if distance := editDistance(kind, wanted.Kind); distance <= within {
					nearest, within, found = schema.GroupKind{Group: group.Name, Kind: kind}, distance-1, true
				}
			}
		}
	}
	return nearest, found
}

// namespacedKinds returns the kinds of the list, which may be nil.
func namespacedKinds(list *metav1.APIResourceList) []string {
	if list == nil {
		return nil
	}
	var kinds []string
	for i := range list.APIResources {
		if resource := &list.APIResources[i]; resource.Namespaced && !strings.Contains(resource.Name, "/") {
			kinds = append(kinds, resource.Kind)
		}
	}
	return kinds
}

// editDistance returns how many letters have to be added, removed or replaced to make one name of the other. It ignores case.
func editDistance(one, other string) int {
	one, other = strings.ToLower(one), strings.ToLower(other)
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(one) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(other) {
			replaced := diagonal
			if one[i] != other[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(other)]
}
