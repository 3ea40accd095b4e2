package migrate

import (
	"fmt"
	"slices"

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
	if source.grant != nil && name == "" && !source.grant.pushes.isEmpty() {
		selector, isSelector := source.grant.pushes.namespaceSelector()
		if isSelector {
			all = append(all, v1.ClusterProjectionDestination{NamespaceSelector: selector})
			listed = slices.DeleteFunc(slices.Clone(listed), func(ref Ref) bool { return world.selects(source.grant.pushes, ref.Namespace) })
		} else {
			notes = append(notes, unselected(s.tool, source.grant.pushes, len(listed)))
		}
	}
	if s.tool.asksNobody && len(listed) > 0 {
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
func unselected(tool Tool, pushes reach, copies int) string {
	if _, isList := pushes.names(); isList && copies > 0 {
		return fmt.Sprintf("%s copies it into %s. The rule lists the namespaces that have a copy now.", tool.Name, pushes.String())
	}
	text := fmt.Sprintf("%s copies it into %s", tool.Name, pushes.String())
	if pushes.narrowed {
		text += ", where it is permitted"
	}
	text += ", which no selector of a rule says."
	if copies == 0 {
		return text + " There is no copy yet, so there is no rule: write one with a namespaceSelector."
	}
	return text + " The rule lists the namespaces that have a copy now: for new ones, label the namespaces, and set namespaceSelector."
}

// selects reports whether a rule with the selector of the tool has the namespace as a target.
func (w World) selects(pushes reach, namespace string) bool {
	return pushes.has(namespace, w.Namespaces[namespace]) && !slices.Contains(w.Excluded, namespace)
}

func namespacesOf(refs []Ref) (names []v1.NamespaceName) {
	for _, ref := range refs {
		names = append(names, ref.Namespace)
	}
	return names
}
