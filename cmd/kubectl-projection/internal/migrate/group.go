package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// group are the copies that one rule takes over: of one source, under one name.
type group struct {
	source Ref
	name   string
	// copies are the objects in the namespaces that the source permits, and refused those elsewhere.
	copies, refused []Ref
	// ofSource are the copies of the source, under whatever name.
	ofSource []Ref
}

// groups returns the groups in the order of their sources, and the copies without a source. Sources from which the tool pushes copies have a group
// though there are none yet.
func (s *Survey) groups(namespaces map[string]map[string]string) (all []*group, lost []Ref) {
	type key struct {
		source Ref
		name   string
	}
	found := map[key]*group{}
	of := func(source Ref, name string) *group {
		if found[key{source, name}] == nil {
			found[key{source, name}] = &group{source: source, name: name}
			all = append(all, found[key{source, name}])
		}
		return found[key{source, name}]
	}
	for ref := range s.copies {
		if _, exists := namespaces[ref.Namespace]; !exists && len(namespaces) > 0 { // the copy is deleted with its namespace
			continue
		}
		source, hasSource := s.sourceFor(ref, namespaces)
		switch {
		case !hasSource:
			lost = append(lost, ref)
		case s.permits(source, ref.Namespace, namespaces):
			it := of(source, ref.Name)
			it.copies = append(it.copies, ref)
		default:
			it := of(source, ref.Name)
			it.refused = append(it.refused, ref)
		}
	}
	for ref, source := range s.sources {
		if source.grant != nil && (!source.grant.pushes.isEmpty() || len(source.grant.lost) > 0) {
			of(ref, ref.Name)
		}
	}
	ofSource := map[Ref][]Ref{}
	for _, it := range all {
		ofSource[it.source] = append(ofSource[it.source], it.copies...)
	}
	for _, it := range all {
		it.ofSource = ofSource[it.source]
		slices.SortFunc(it.copies, compareRefs)
		slices.SortFunc(it.refused, compareRefs)
	}
	slices.SortFunc(all, func(a, b *group) int { return cmp.Or(compareRefs(a.source, b.source), cmp.Compare(a.name, b.name)) })
	slices.SortFunc(lost, compareRefs)
	return all, lost
}

// permits reports whether the owner of the source lets the tool have a copy in the namespace. A mark alone is no proof: everyone who can write an
// object can put one on it.
func (s *Survey) permits(of Ref, namespace string, namespaces map[string]map[string]string) bool {
	source := s.sources[of]
	return source == nil || source.grant != nil && source.grant.reaches(namespace, namespaces[namespace])
}

func compareRefs(a, b Ref) int {
	return cmp.Or(cmp.Compare(a.Kind.String(), b.Kind.String()), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// String names the object in a sentence.
func (r Ref) String() string { return r.Kind.Kind + " " + r.Namespace + "/" + r.Name }

// maxListed is how many objects a comment lists.
const maxListed = 5

// list lists the first of the namespaces.
func list(refs []Ref) string {
	var names []string
	for _, ref := range refs[:min(len(refs), maxListed)] {
		names = append(names, ref.Namespace)
	}
	if more := len(refs) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
