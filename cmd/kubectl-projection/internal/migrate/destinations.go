package migrate

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// maxNamespaces is how many namespaces a rule lists.
const maxNamespaces = 5000

// destinations returns where the rules of a group have copies: where a selector of the tool says, and besides in the namespaces of the copies that are
// there.
func (s *Survey) destinations(it *group, source *source, world World) (all []v1.ClusterProjectionDestination, notes []string) {
	name := ""
	if it.name != it.source.Name {
		name = it.name
	}
	listed := it.copies
	if len(listed) == 0 {
		return nil, []string{s.tool.Name + " has made no copy in a namespace that is permitted, so there is no rule."}
	}
	if source.grant != nil && name == "" && !source.grant.pushes.isEmpty() {
		selector, isSelector := source.grant.pushes.namespaceSelector()
		if isSelector {
			all = append(all, v1.ClusterProjectionDestination{NamespaceSelector: selector})
			if fresh := world.without(it, source.grant.pushes); len(fresh) > 0 {
				notes = append(notes, "These namespaces have no copy now, and get one: "+list(fresh)+".")
			}
			listed = slices.DeleteFunc(slices.Clone(listed), func(ref Ref) bool { return world.selects(source.grant.pushes, ref.Namespace) })
		} else {
			notes = append(notes, unselected(s.tool, source.grant.pushes))
		}
	}
	if s.tool.policiesDecide && len(listed) > 0 {
		notes = append(notes, s.tool.Name+" decides by its policy which namespaces have copies. "+
			"The rule lists those that have one now: for new ones, set namespaceSelector.")
	}
	if len(all) > 0 && len(listed) > 0 {
		notes = append(notes, "Copies that the selector does not match, since the operator excludes their namespace or they were asked for there, "+
			"have a second rule: "+list(listed)+".")
	}
	for chunk := range slices.Chunk(listed, maxNamespaces) {
		all = append(all, v1.ClusterProjectionDestination{Namespaces: namespacesOf(chunk), Name: name})
	}
	return all, notes
}

// unselected says what becomes of namespaces that no selector of a rule has.
func unselected(tool Tool, pushes reach) string {
	if _, isList := pushes.names(); isList {
		return fmt.Sprintf("%s copies it into %s. The rule lists the namespaces that have a copy now.", tool.Name, pushes.String())
	}
	text := fmt.Sprintf("%s copies it into %s", tool.Name, pushes.String())
	if pushes.narrowed {
		text += ", where it is permitted"
	}
	text += ", which no selector of a rule says."
	return text + " The rule lists the namespaces that have a copy now: for new ones, label the namespaces, and set namespaceSelector."
}

// selects reports whether a rule with the selector of the tool has the namespace as a target.
func (w World) selects(pushes reach, namespace string) bool {
	return pushes.has(namespace, w.Namespaces[namespace]) && !slices.Contains(w.Excluded, namespace)
}

// without returns the places of copies that a rule with the selector of the tool makes besides those that are there.
func (w World) without(it *group, pushes reach) (fresh []Ref) {
	there := map[string]bool{}
	for _, ref := range it.copies {
		there[ref.Namespace] = true
	}
	for _, namespace := range slices.Sorted(maps.Keys(w.Namespaces)) {
		if w.selects(pushes, namespace) && !there[namespace] && namespace != it.source.Namespace {
			fresh = append(fresh, Ref{it.source.Kind, types.NamespacedName{Namespace: namespace, Name: it.name}})
		}
	}
	return fresh
}

func namespacesOf(refs []Ref) (names []v1.NamespaceName) {
	for _, ref := range refs {
		names = append(names, ref.Namespace)
	}
	return names
}
