package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
)

// group is what a rule that selects its sources asks for.
type group struct {
	rule  Rule
	parts []plan
	// sources is how many of those that are selected consent.
	sources int
}

func refTo(rule Rule) *v1.SourceRef {
	switch r := rule.(type) {
	case *v1.Projection:
		return &r.Spec.Source
	case *v1.ClusterProjection:
		return &r.Spec.Source
	}
	return nil
}

func selectsSources(rule Rule) bool { return refTo(rule).Selector != nil }

// naming returns the rule as one that names the source.
func naming(rule Rule, name string) Rule {
	named := rule.DeepCopyObject().(Rule)
	ref := refTo(named)
	ref.Name, ref.Selector = name, nil
	return named
}

// selectedBy returns what the rule wants of each source that it selects: of objects of the kind in the namespace that match, and are no copies. A copy
// never consents.
func (w *world) selectedBy(rule Rule) group {
	g, ref := group{rule: rule}, refTo(rule)
	requirements := make([]v1.NamespaceSelectorRequirement, len(ref.Selector.MatchExpressions))
	for i, r := range ref.Selector.MatchExpressions {
		requirements[i] = v1.NamespaceSelectorRequirement(r)
	}
	selector := &v1.NamespaceSelector{MatchLabels: ref.Selector.MatchLabels, MatchExpressions: requirements}
	var names []string
	for at, object := range w.foreign {
		isOfKind := at.Kind.Kind == ref.Kind && at.Kind.Group == ref.Group && at.Namespace == ref.Namespace
		if isOfKind && !w.namesAsOwner(object, rule) && selects(selector, object.GetLabels()) {
			names = append(names, at.Name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		part := w.plan(naming(rule, name))
		part.isPart = true
		if part.source != nil {
			g.sources++
		}
		g.parts = append(g.parts, part)
	}
	g.parts = append(g.parts, plan{rule: naming(rule, "/"), isPart: true, isLast: true})
	for i := range g.parts {
		g.parts[i].names = names
	}
	return g
}

// namesAsOwner tells whether the object bears a mark of the rule.
func (w *world) namesAsOwner(object *unstructured.Unstructured, rule Rule) bool {
	marks := marksOf[rule.GetKind()]
	return object.GetAnnotations()[marks.annotation] == refOf(rule) || object.GetLabels()[marks.label] == string(rule.GetUID())
}

// isOf tells whether the copy is one of this part's source.
func (p *plan) isOf(copied *unstructured.Unstructured) bool {
	source := copied.GetAnnotations()[v1.AnnotationSource]
	if !p.isLast {
		return source == refOfSource(wishOf(p.rule).source)
	}
	wish := wishOf(p.rule)
	return !slices.ContainsFunc(p.names, func(name string) bool {
		return source == refOfSource(Place{wish.source.Kind, wish.source.Namespace, name})
	})
}

// reportsOf finds what a rule that selects its sources says that is not so. A namespace fails for the first of its copies that does.
func (w *world) reportsOf(g group) []string { //nolint:cyclop,funlen // one look after the other at the parts of a status
	r := &report{name: g.rule.GetKind() + " " + refOf(g.rule)}
	if g.rule.GetDeletionTimestamp() != nil {
		return nil
	}
	var all, byNamespace []v1.NamespaceFailure
	failed, targeted, names := map[string]string{}, map[string]bool{}, map[string]bool{}
	isPlanned, skipped := map[string]bool{}, 0
	for i := range g.parts {
		p := &g.parts[i]
		part := p
		for at := range w.plans { // the one that copies are compared with
			if w.plans[at].isPart && !w.plans[at].isLast && w.plans[at].rule == p.rule {
				part = &w.plans[at]
			}
		}
		skipped += p.skipped
		for _, t := range p.targets {
			isPlanned[t.Namespace], targeted[t.Namespace] = true, true
			reason := w.failure(part, t)
			if reason == "" {
				names[t.Name] = true
				continue
			}
			all = append(all, v1.NamespaceFailure{Namespace: t.Namespace, Reason: reason})
			if failed[t.Namespace] == "" {
				failed[t.Namespace] = reason
			}
		}
	}
	for namespace, reason := range failed {
		byNamespace = append(byNamespace, v1.NamespaceFailure{Namespace: namespace, Reason: reason})
	}
	slices.SortFunc(byNamespace, func(a, b v1.NamespaceFailure) int { return strings.Compare(a.Namespace, b.Namespace) })
	status, reason := rollUp(all)
	if g.sources > 0 && len(targeted) == 0 {
		reason = v1.ReasonNoMatchingNamespaces
	}
	r.condition(g.rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	r.condition(g.rule, v1.ConditionDestinationWritten, status, reason)
	r.condition(g.rule, v1.ConditionReady, status, reason)
	r.stalled(g.rule, all, false)
	common := g.rule.GetCommonStatus()
	r.expect("observedGeneration", common.ObservedGeneration, g.rule.GetGeneration())
	r.expect("sources", int(ptr.Deref(common.Sources, -1)), g.sources)
	name := ""
	if len(names) == 1 {
		name = slices.Collect(maps.Keys(names))[0]
	}
	r.expect("destinationName", common.DestinationName, name)
	if len(names) > 1 {
		r.expect("destinationNames", int(ptr.Deref(common.DestinationNames, 0)), len(names))
	} else {
		r.expect("that destinationNames is said", common.DestinationNames != nil, false)
	}
	r.expect("the number of finalizers", len(g.rule.GetFinalizers()), 1)
	clusterwide, ok := g.rule.(*v1.ClusterProjection)
	if !ok {
		return r.problems
	}
	if skipped > 0 {
		skipped = 0
		for _, namespace := range w.targets(naming(g.rule, "/")) {
			if !isPlanned[namespace] {
				skipped++
			}
		}
	}
	said := clusterwide.Status
	r.expect("namespacesSkipped", int(ptr.Deref(said.NamespacesSkipped, 0)), skipped)
	r.expect("namespacesTargeted", int(ptr.Deref(said.NamespacesTargeted, -1)), len(targeted))
	r.expect("namespacesFailed", int(ptr.Deref(said.NamespacesFailed, -1)), len(byNamespace))
	r.expect("namespacesWritten", int(ptr.Deref(said.NamespacesWritten, -1)), len(targeted)-len(byNamespace))
	r.expect("failureReasons", fmt.Sprint(said.FailureReasons), fmt.Sprint(countedByReason(byNamespace)))
	return r.problems
}
