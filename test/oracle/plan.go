package oracle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
)

// excluded are the namespaces that no selector selects.
var excluded = []string{metav1.NamespaceSystem, metav1.NamespacePublic, "kube-node-lease"}

// plan is what one rule asks for.
type plan struct {
	rule Rule
	// source is what is to be copied; nil if nothing is, for one of the reasons.
	source  *unstructured.Unstructured
	reasons []string
	targets []target
}

// target is a place where the rule wants a copy; for an obstacle's reason, it cannot have it.
type target struct {
	Place
	obstacle string
}

// wants tells whether the rule is to have a copy there, if nobody else is in the way.
func (p plan) wants(at Place) bool {
	return slices.ContainsFunc(p.targets, func(t target) bool { return t.Place == at && t.obstacle == "" })
}

func (w *world) plan(rule Rule) plan {
	p := plan{rule: rule}
	ref := rule.GetSource()
	at := Place{ref.GroupKind(), ref.Namespace, ref.Name}
	if p.source, p.reasons = w.consenting(at); p.source == nil {
		return p
	}
	for _, namespace := range w.targets(rule) {
		to := target{Place: Place{at.Kind, namespace, rule.GetDestinationName()}}
		_, foreign := w.foreign[to.Place]
		switch {
		case !w.takesCopies(rule, to.Place):
			to.obstacle = v1.ReasonDestinationCreateFailed
		case foreign: // the source itself is among them
			to.obstacle = v1.ReasonDestinationConflict
		}
		p.targets = append(p.targets, to)
	}
	return p
}

// takesCopies tells whether there may be a copy at the place: its namespace exists, and is not being deleted. An API server that has just started, and
// does not know of rules yet, may let a namespace go that has one in it. Such a rule keeps the copy that it has.
func (w *world) takesCopies(rule Rule, at Place) bool {
	if namespace, exists := w.Namespaces[at.Namespace]; exists && namespace.DeletionTimestamp == nil {
		return true
	}
	_, there := w.Objects[at]
	return there && rule.GetNamespace() == at.Namespace
}

// consenting returns the source, or why there is none to copy. A copy is no consenting source.
func (w *world) consenting(at Place) (*unstructured.Unstructured, []string) {
	source, exists := w.foreign[at]
	if !exists {
		if _, copied := w.Objects[at]; copied {
			return nil, []string{v1.ReasonSourceNotProjectable}
		}
		return nil, []string{v1.ReasonSourceDeleted, v1.ReasonSourceNotFound}
	}
	switch source.GetAnnotations()[v1.AnnotationProjectable] {
	case v1.ProjectableTrue:
		return source, nil
	case v1.ProjectableFalse:
		return nil, []string{v1.ReasonSourceOptedOut}
	default:
		return nil, []string{v1.ReasonSourceNotProjectable}
	}
}

// targets returns the namespaces in which the rule wants copies, sorted.
func (w *world) targets(rule Rule) []string {
	clusterwide, ok := rule.(*v1.ClusterProjection)
	if !ok {
		return []string{rule.GetNamespace()}
	}
	destination := clusterwide.Spec.Destination
	if destination.NamespaceSelector == nil {
		return slices.Sorted(slices.Values(destination.Namespaces))
	}
	selector, err := metav1.LabelSelectorAsSelector(destination.NamespaceSelector.LabelSelector())
	if err != nil {
		return nil
	}
	var names []string
	for name, namespace := range w.Namespaces {
		itself := name == rule.GetSource().Namespace && rule.GetDestinationName() == rule.GetSource().Name
		if namespace.DeletionTimestamp == nil && !slices.Contains(excluded, name) && !itself && selector.Matches(labels.Set(namespace.Labels)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
