package migrate

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// rulesFor returns the rules that copy the source under the name as the same kind.
func (w World) rulesFor(it *group) (found []*v1.ClusterProjection) {
	for _, rule := range w.Rules {
		source, destination := rule.Spec.Source, rule.Spec.Destination
		name := destination.Name
		if name == "" {
			name = source.Name
		}
		if source.Kind == it.source.Kind.Kind && source.Group == it.source.Kind.Group && source.Namespace == it.source.Namespace &&
			source.Name == it.source.Name && name == it.name && destination.NameExpression == "" && destination.Kind == "" {
			found = append(found, rule)
		}
	}
	return found
}

// addExisting adds that there are rules for the copies, and which copies none of them has.
func (r *Result) addExisting(rules []*v1.ClusterProjection, it *group, world World) {
	var names, suspended []string
	for _, rule := range rules {
		if names = append(names, rule.Name); rule.Spec.Suspend {
			suspended = append(suspended, rule.Name)
		}
	}
	r.note("The ClusterProjection %s copies it already, so that no rule is written.", strings.Join(names, " and "))
	isCovered := func(ref Ref) bool {
		return slices.ContainsFunc(rules, func(rule *v1.ClusterProjection) bool { return world.hasTarget(rule, ref.Namespace) })
	}
	if left := slices.DeleteFunc(slices.Clone(it.copies), isCovered); len(left) > 0 {
		r.note("It has no copy in these namespaces, where nothing updates what is there any more: %s. Let its destination have them.", list(left))
	}
	if len(suspended) > 0 {
		r.note("It is suspended: %s.", strings.Join(suspended, ", "))
	}
}

// hasTarget reports whether the rule lists or selects the namespace.
func (w World) hasTarget(rule *v1.ClusterProjection, namespace string) bool {
	destination := rule.Spec.Destination
	if destination.NamespaceSelector == nil || len(destination.Namespaces) > 0 {
		return slices.Contains(destination.Namespaces, namespace)
	}
	selector, err := metav1.LabelSelectorAsSelector(destination.NamespaceSelector.LabelSelector())
	return err == nil && selector.Matches(labels.Set(w.Namespaces[namespace])) && !slices.Contains(w.Excluded, namespace)
}

// addRefused adds the copies that are not taken over, since the source does not permit them.
func (r *Result) addRefused(tool Tool, it *group, source *source) {
	if len(it.refused) == 0 {
		return
	}
	why := "since the source does not permit the namespace"
	if given := source.grant; given != nil && len(given.pushes.broken)+len(given.permits.broken) > 0 {
		why = "since it cannot be decided whether the source permits the namespace"
	}
	r.note("Not taken over, %s: %s.", why, list(it.refused))
	if tool.unless != "" {
		r.note("%s", tool.unless)
	}
}

// addSaid adds what the owner has already said about copies of the source, if that does not permit all of them.
func (r *Result) addSaid(said string, it *group, source *source, world World) {
	permission, err := policy.PermissionOf(source.annotations)
	switch {
	case err != nil:
		r.note("projection.sh/projectable: %q permits no namespace: %s. As long as that is so, nothing is adopted.", shortened(said), err)
		return
	case !world.Mode.Consents(source.annotations):
		r.note("The owner does not consent (projection.sh/projectable: %q): as long as that is so, nothing is adopted.", shortened(said))
		return
	}
	isPermitted := func(ref Ref) bool { return permission.Permits(world.Namespaces[ref.Namespace]) }
	if left := slices.DeleteFunc(slices.Clone(it.copies), isPermitted); len(left) > 0 && len(world.Namespaces) > 0 {
		r.note("The owner does not permit copies in these namespaces (projection.sh/projectable: %q), so that the rule reports DestinationNotPermitted: %s.",
			shortened(said), list(left))
	}
}
