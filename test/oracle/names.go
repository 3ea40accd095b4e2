package oracle

import (
	"slices"

	v1 "projection.sh/operator/api/v1"
)

// Expressions for the names of copies in histories. They are known here by their texts: what they mean is written anew.
const (
	// NameByGroup is another name in namespaces of one group, and that of the source in others.
	NameByGroup = "target.labels[?'group'].orValue('') == 'red' ? 'x' : source.metadata.name"
	// NameOfSome is a name in namespaces of some groups. There can be no copy in others.
	NameOfSome = "{'red': 'a', 'blue': 'b'}[target.labels[?'group'].orValue('none')]"
	// NameOfSource is the same in all namespaces.
	NameOfSource = "source.metadata.name + '-' + source.metadata.labels[?'none'].orValue('x')"
	// NameByTeam is a name by a label that no selector reads.
	NameByTeam = "source.metadata.name + target.labels[?'team'].orValue('')"
	// NameByColor is a name by a label of the source.
	NameByColor = "source.metadata.labels[?'color'].orValue(source.metadata.name)"
)

// nameIn returns the name of the copy in a namespace with the labels, and false if there is none.
func (w wish) nameIn(labels map[string]string) (string, bool) {
	switch w.nameExpression {
	case NameByGroup:
		if labels["group"] == "red" {
			return "x", true
		}
		return w.source.Name, true
	case NameOfSome:
		name, known := map[string]string{"red": "a", "blue": "b"}[labels["group"]]
		return name, known
	case NameOfSource:
		return w.source.Name + "-x", true
	case NameByTeam:
		return w.source.Name + labels["team"], true
	default:
		return w.name, true
	}
}

// nameOf is nameIn for an expression that may read labels of the source.
func (w *world) nameOf(wish wish, labels map[string]string) (string, bool) {
	if wish.nameExpression != NameByColor {
		return wish.nameIn(labels)
	}
	if source, exists := w.foreign[wish.source]; exists && source.GetLabels()["color"] != "" {
		return source.GetLabels()["color"], true
	}
	return wish.source.Name, true
}

// refuseTaken refuses the names that earlier sources of the group have, and those of its sources.
func (g *group) refuseTaken() {
	taken := map[Place]bool{}
	for i := range g.parts {
		part := &g.parts[i]
		wish := wishOf(part.rule)
		for j := range part.targets {
			t := &part.targets[j]
			isSource := t.Kind == wish.source.Kind && t.Namespace == wish.source.Namespace && t.Name != wish.source.Name && slices.Contains(part.names, t.Name)
			switch {
			case wish.nameExpression == "" || !t.named || t.obstacle == v1.ReasonDestinationCreateFailed || t.obstacle == notPermitted:
			case taken[t.Place] || isSource:
				t.obstacle, t.taken = v1.ReasonRenderFailed, true
			default:
				taken[t.Place] = true
			}
		}
	}
}

// nameAt returns the name of the copy in a namespace, which may not exist. Then no expression that reads its labels gives a name.
func (w *world) nameAt(wish wish, namespace string) (string, bool) {
	existing, exists := w.Namespaces[namespace]
	if !exists {
		if wish.nameExpression == "" || wish.nameExpression == NameOfSource || wish.nameExpression == NameByColor {
			return w.nameOf(wish, nil)
		}
		return "", true
	}
	return w.nameOf(wish, existing.Labels)
}

// named looks at what is said of the names of the copies. If all copies are as they have to be, these are the names that are wanted.
func (r *report) named(p *plan, reported []target, failed int) {
	status := p.rule.GetCommonStatus()
	var names []string
	for _, t := range reported {
		if t.obstacle == "" && !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	switch several := status.DestinationNames; {
	case wishOf(p.rule).nameExpression == "":
		r.expect("that destinationNames is said", several != nil, false)
		r.expect("destinationName", status.DestinationName, wishOf(p.rule).name)
	case failed > 0: // copies with other names may be there
	case len(names) == 1:
		r.expect("that destinationNames is said", several != nil, false)
		r.expect("destinationName", status.DestinationName, names[0])
	case len(names) > 1:
		r.expect("destinationName", status.DestinationName, "")
		r.expect("that destinationNames is said", several != nil, true)
		if several != nil {
			r.expect("destinationNames", int(*several), len(names))
		}
	}
}

// unnamed looks whether the status says that there are no copies.
func (r *report) unnamed(status *v1.CommonStatus) {
	r.expect("destinationName", status.DestinationName, "")
	r.expect("that destinationNames is said", status.DestinationNames != nil, false)
}
