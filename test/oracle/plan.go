package oracle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	// layers are what is merged with the source, and isDenied tells whether a copy has keys of a layer whose owner does not consent.
	layers   []*unstructured.Unstructured
	isDenied func(copied *unstructured.Unstructured) bool
	// skipped is how many selected namespaces the owner of the source does not permit.
	skipped int
	// isPart reports whether this is what a rule that selects its sources wants of one of them, as if the rule named it. The last part is that of
	// everything else, of which the rule wants nothing.
	isPart, isLast bool
	names          []string // of what is selected
	// kept are the namespaces in which the rule retains the copies that there are of its source, which is gone.
	kept []string
	// isNothing tells whether the rule selects nothing to merge, which is an answer: it wants no copy, and is ready.
	isNothing bool
	// sources is how many objects are merged because the rule selects them as its sources.
	sources int
	// isStuck tells whether it is not known what the copies are to be: a layer is missing. Those in the kept namespaces may stay.
	isStuck bool
	// mayStay tells whether a copy in the kept namespaces stays; nil: those of the source stay whose layers nobody denies.
	mayStay func(copied *unstructured.Unstructured) bool
}

// target is a place where the rule wants a copy; for an obstacle's reason, it cannot have it.
type target struct {
	Place
	obstacle string
	values   values
	// named tells whether the copy has a name, and taken whether another source of the rule has the copy of that name.
	named, taken bool
}

// valuesAt returns what the rule sets in its copy there.
func (p *plan) valuesAt(at Place) values {
	return p.targets[slices.IndexFunc(p.targets, func(t target) bool { return t.Place == at })].values
}

// wants tells whether the rule is to have a copy there, if nobody else is in the way.
func (p *plan) wants(at Place) bool {
	return slices.ContainsFunc(p.targets, func(t target) bool { return t.Place == at && t.obstacle == "" })
}

// keeps tells whether the copy stays, with whatever content, name and kind: the rule retains it while its source is gone, or cannot write it while a
// layer is missing.
func (p *plan) keeps(at Place, copied *unstructured.Unstructured) bool {
	switch {
	case !slices.Contains(p.kept, at.Namespace):
		return false
	case p.mayStay != nil:
		return p.mayStay(copied)
	default:
		return copied.GetAnnotations()[v1.AnnotationSource] == refOfSource(wishOf(p.rule).source) && !p.isDenied(copied)
	}
}

// refOfSource returns the source as annotations name it.
func refOfSource(source Place) string {
	return source.Kind.String() + "/" + source.Namespace + "/" + source.Name
}

func (w *world) plan(rule Rule) plan {
	p, wish := plan{rule: rule}, w.withSelected(rule, wishOf(rule))
	merge := w.toMerge(rule, wish)
	p.sources = merge.sources
	p.isDenied = func(copied *unstructured.Unstructured) bool { return w.isDenied(copied, rule, wish) }
	source, reasons := w.sourceOf(wish, merge)
	isGone := slices.Contains(reasons, v1.ReasonSourceDeleted)
	switch {
	case source == nil && len(reasons) > 0 && !isGone:
		p.reasons = reasons
	case len(merge.denied) > 0:
		p.reasons = merge.denied
	case source == nil:
		p.reasons, p.isNothing = reasons, wish.isSelection
		if slices.Contains(wish.policy.Retain, v1.RetainSourceGone) && (wish.isSelection || isRecorded(rule, wish.source)) {
			p.kept = w.targets(rule)
		}
	case len(merge.missing) > 0:
		p.reasons, p.isStuck, p.kept = merge.missing, true, w.selected(rule)
		p.mayStay = func(copied *unstructured.Unstructured) bool { return w.mayStay(copied, wish) }
	default:
		p.source, p.layers = source, merge.layers
		w.setTargets(&p, wish)
	}
	return p
}

func (w *world) setTargets(p *plan, wish wish) {
	for _, namespace := range w.targets(p.rule) {
		if to, isSkipped := w.target(*p, wish, namespace); isSkipped {
			p.skipped++
		} else {
			p.targets = append(p.targets, to)
		}
	}
}

// target returns what the rule wants in a namespace. A selected namespace that the owner of the source does not permit is skipped.
func (w *world) target(p plan, wish wish, namespace string) (to target, isSkipped bool) {
	name, named := w.nameAt(wish, namespace)
	to = target{Place: Place{wish.kind, namespace, name}, named: named}
	_, foreign := w.foreign[to.Place]
	existing, exists := w.Namespaces[namespace]
	refused, rendered := false, true
	for _, source := range p.all() {
		refused = refused || exists && !permissionOf(source).permits(existing.Labels)
	}
	if exists {
		to.values, rendered = valuesFor(wish, p.source.GetName(), namespace, existing.Labels)
	}
	switch {
	case refused && selectsNamespaces(p.rule):
		return to, true
	case !w.takesCopies(p.rule, to.Place):
		to.obstacle = v1.ReasonDestinationCreateFailed
	case refused:
		to.obstacle = notPermitted
	case !named, !rendered:
		to.obstacle = v1.ReasonRenderFailed
	case slices.ContainsFunc(wish.layers, func(each layer) bool { return each.Place == to.Place }):
		to.obstacle = v1.ReasonDestinationConflict
	case foreign && p.mayAdopt(w.foreign[to.Place]):
	case foreign: // the source itself is among them
		to.obstacle = v1.ReasonDestinationConflict
	}
	return to, false
}

// all returns the source and what is merged with it.
func (p *plan) all() []*unstructured.Unstructured {
	return append([]*unstructured.Unstructured{p.source}, p.layers...)
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

// consenting returns the source, or why there is none to copy. A copy is no consenting source: if its own source may be copied into some
// namespaces only, it is opted out.
func (w *world) consenting(at Place) (*unstructured.Unstructured, []string) {
	source, exists := w.foreign[at]
	if !exists {
		if copied, exists := w.Objects[at]; exists {
			if copied.GetAnnotations()[v1.AnnotationProjectable] == v1.ProjectableFalse {
				return nil, []string{v1.ReasonSourceOptedOut}
			}
			return nil, []string{v1.ReasonSourceNotProjectable}
		}
		return nil, []string{v1.ReasonSourceDeleted, v1.ReasonSourceNotFound}
	}
	permission := permissionOf(source)
	if permission.limited && !permission.malformed {
		return source, nil
	}
	switch consent := source.GetAnnotations()[v1.AnnotationProjectable]; {
	case consent == v1.ProjectableFalse:
		return nil, []string{v1.ReasonSourceOptedOut}
	case consent == v1.ProjectableTrue, w.Permissive && !permission.limited:
		return source, nil
	default:
		return nil, []string{v1.ReasonSourceNotProjectable}
	}
}

func selectsNamespaces(rule Rule) bool {
	clusterwide, ok := rule.(*v1.ClusterProjection)
	return ok && clusterwide.Spec.Destination.NamespaceSelector != nil
}

// targets returns the namespaces in which the rule wants copies, sorted.
func (w *world) targets(rule Rule) []string {
	wish := w.withSelected(rule, wishOf(rule))
	return slices.DeleteFunc(w.selected(rule), func(name string) bool {
		namespace, exists := w.Namespaces[name]
		return selectsNamespaces(rule) && exists && w.isItself(wish, name, namespace.Labels)
	})
}

// selected returns the namespaces that the rule names or selects, sorted.
func (w *world) selected(rule Rule) []string {
	clusterwide, ok := rule.(*v1.ClusterProjection)
	if !ok {
		return []string{rule.GetNamespace()}
	}
	destination := clusterwide.Spec.Destination
	if destination.NamespaceSelector == nil {
		return slices.Sorted(slices.Values(destination.Namespaces))
	}
	var names []string
	for name, namespace := range w.Namespaces {
		isSelected := selects(destination.NamespaceSelector, namespace.Labels)
		if namespace.DeletionTimestamp == nil && !slices.Contains(excluded, name) && isSelected {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isItself tells whether the copy in a namespace would be the source, or a layer. Nobody asks an expression for the name where the owner of one of them
// permits no copy.
func (w *world) isItself(wish wish, namespace string, labels map[string]string) bool {
	called, named := w.nameOf(wish, labels)
	itself := wish.kind == wish.source.Kind && namespace == wish.source.Namespace && named && called == wish.source.Name
	if wish.nameExpression == "" {
		return itself || slices.Contains(placesOf(wish.layers), Place{wish.kind, namespace, wish.name})
	}
	source, exists := w.foreign[wish.source]
	return itself && (!exists || permissionOf(source).permits(labels)) && !slices.ContainsFunc(wish.layers, func(each layer) bool {
		merged, _ := w.consenting(each.Place)
		return merged != nil && !permissionOf(merged).permits(labels)
	})
}

// Wanted returns the places where the rules want copies, are not suspended, and the owners of their sources permit them, whether the rules can
// have them or not, with the names of these rules as the annotations of their copies have them.
func Wanted(state State, foreign Foreign) map[Place][]string {
	w := &world{State: state, foreign: foreign}
	wanted := map[Place][]string{}
	for _, rule := range state.Rules {
		if wishOf(rule).suspended {
			continue
		}
		plans := []plan{w.plan(rule)}
		if selectsSources(rule) {
			plans = w.selectedBy(rule).parts
		}
		for _, plan := range plans {
			for _, t := range plan.targets {
				if t.obstacle != notPermitted && !t.taken {
					wanted[t.Place] = append(wanted[t.Place], rule.GetKind()+"/"+refOf(rule))
				}
			}
		}
	}
	return wanted
}
