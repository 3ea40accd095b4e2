package oracle

import (
	"fmt"
	"maps"
	"slices"

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

// selectsSources reports whether the rule has copies of each source that it selects.
func selectsSources(rule Rule) bool { return refTo(rule).Selector != nil && !wishOf(rule).isSelection }

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
	var names []string
	for at, object := range w.foreign {
		isOfKind := at.Kind.Kind == ref.Kind && at.Kind.Group == ref.Group && at.Namespace == ref.Namespace
		if isOfKind && !w.namesAsOwner(object, rule) && selects(requirementsOf(ref.Selector), object.GetLabels()) {
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
	g.parts = append(g.parts, w.formerOf(rule))
	for i := range g.parts {
		g.parts[i].names = names
	}
	g.refuseTaken()
	return g
}

// requirementsOf returns the selector as one of namespaces.
func requirementsOf(selector *v1.SourceSelector) *v1.NamespaceSelector {
	requirements := make([]v1.NamespaceSelectorRequirement, len(selector.MatchExpressions))
	for i, r := range selector.MatchExpressions {
		requirements[i] = v1.NamespaceSelectorRequirement(r)
	}
	return &v1.NamespaceSelector{MatchLabels: selector.MatchLabels, MatchExpressions: requirements}
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

// successor returns the plan whose copy would replace that one: of a rule that selects its sources, that of the source which the copy is of if an
// expression names the copies, and otherwise that of the source of that name.
func (w *world) successor(owner *plan, at Place) *plan {
	if wishOf(owner.rule).nameExpression != "" {
		return owner
	}
	for i := range w.plans {
		p := &w.plans[i]
		if owner.isPart && p.isPart && p.rule.GetUID() == owner.rule.GetUID() && wishOf(p.rule).source.Name == at.Name {
			return p
		}
	}
	return owner
}

// reportsOf finds what a rule that selects its sources says that is not so.
func (w *world) reportsOf(g group) []string {
	r := &report{name: g.rule.GetKind() + " " + refOf(g.rule)}
	if g.rule.GetDeletionTimestamp() != nil {
		return nil
	}
	t := w.tallyOf(g)
	if wishOf(g.rule).suspended {
		r.suspendedOf(w, g, t)
		return r.problems
	}
	status, reason := rollUp(t.failures)
	if g.sources > 0 && len(t.targeted)+len(t.left) == 0 {
		reason = v1.ReasonNoMatchingNamespaces
	}
	r.condition(g.rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	r.condition(g.rule, v1.ConditionDestinationWritten, status, reason)
	r.condition(g.rule, v1.ConditionReady, status, reason)
	r.stalled(g.rule, t.failures, false)
	common := g.rule.GetCommonStatus()
	r.expect("observedGeneration", common.ObservedGeneration, g.rule.GetGeneration())
	r.expect("sources", int(ptr.Deref(common.Sources, -1)), g.sources)
	if (len(t.failures) == 0 || !w.hasOthers(g.rule, t.names)) && !w.keepsFormer(g) {
		r.namesOf(common, t)
	}
	r.expect("the number of finalizers", len(g.rule.GetFinalizers()), 1)
	if clusterwide, ok := g.rule.(*v1.ClusterProjection); ok {
		r.countsOf(clusterwide.Status, t)
		r.rolloutOf(clusterwide, g, t)
	}
	return r.problems
}

// hasOthers tells whether the rule has copies with other names: those that cannot be written, and those of an earlier name or kind that stay until
// then.
func (w *world) hasOthers(rule Rule, names map[string]bool) bool {
	for at, object := range w.Objects {
		if _, foreign := w.foreign[at]; !foreign && !names[at.Name] && w.namesAsOwner(object, rule) {
			return true
		}
	}
	return false
}

// tally is what becomes of the copies of a rule that selects its sources.
type tally struct {
	// failures has each copy that fails, and byNamespace each namespace with one, with the reason of its first.
	failures, byNamespace []v1.NamespaceFailure
	// targeted are the namespaces with a copy that is wanted, and names what copies are named that do not fail.
	targeted, names map[string]bool
	// skipped is how many selected namespaces no source is permitted in.
	skipped int
	// left has how many copies in a namespace the rule does without, because other objects are there.
	left map[string]int
}

func (w *world) tallyOf(g group) tally {
	t, first := tally{targeted: map[string]bool{}, names: map[string]bool{}, left: map[string]int{}}, map[string]string{}
	for i := range g.parts {
		p := w.compared(&g.parts[i])
		t.skipped += g.parts[i].skipped
		for _, wanted := range g.parts[i].targets {
			if w.skips(p, wanted) {
				t.left[wanted.Namespace]++
				continue
			}
			t.targeted[wanted.Namespace] = true
			reason := w.failure(p, wanted)
			if reason == "" {
				t.names[wanted.Name] = true
				continue
			}
			t.failures = append(t.failures, v1.NamespaceFailure{Namespace: wanted.Namespace, Reason: reason})
			if first[wanted.Namespace] == "" {
				first[wanted.Namespace] = reason
			}
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(first)) {
		t.byNamespace = append(t.byNamespace, v1.NamespaceFailure{Namespace: namespace, Reason: first[namespace]})
	}
	if t.skipped > 0 {
		skipped := map[string]bool{}
		for i := range g.parts {
			if g.parts[i].source != nil {
				maps.Copy(skipped, asSet(w.targets(g.parts[i].rule)))
			}
		}
		maps.DeleteFunc(skipped, func(namespace string, _ bool) bool { return t.targeted[namespace] || t.left[namespace] > 0 })
		t.skipped = len(skipped)
	}
	return t
}

func asSet(of []string) map[string]bool {
	set := map[string]bool{}
	for _, each := range of {
		set[each] = true
	}
	return set
}

// compared returns the plan that copies are compared with for a part of what a rule wants.
func (w *world) compared(part *plan) *plan {
	for at := range w.plans {
		if w.plans[at].isPart && !w.plans[at].isLast && w.plans[at].rule == part.rule {
			part = &w.plans[at]
		}
	}
	return part
}

// namesOf looks at what is said of the names of the copies.
func (r *report) namesOf(said *v1.CommonStatus, t tally) {
	name := ""
	if len(t.names) == 1 {
		name = slices.Collect(maps.Keys(t.names))[0]
	}
	r.expect("destinationName", said.DestinationName, name)
	if len(t.names) > 1 {
		r.expect("destinationNames", int(ptr.Deref(said.DestinationNames, 0)), len(t.names))
	} else {
		r.expect("that destinationNames is said", said.DestinationNames != nil, false)
	}
}

// countsOf looks at what is counted. A namespace fails for the first of its copies that does.
func (r *report) countsOf(said v1.ClusterProjectionStatus, t tally) {
	skipped := t.skipped
	for namespace := range t.left {
		if !t.targeted[namespace] {
			skipped++
		}
	}
	r.expect("namespacesSkipped", int(ptr.Deref(said.NamespacesSkipped, 0)), skipped)
	r.expect("namespacesTargeted", int(ptr.Deref(said.NamespacesTargeted, -1)), len(t.targeted))
	r.expect("namespacesFailed", int(ptr.Deref(said.NamespacesFailed, -1)), len(t.byNamespace))
	r.expect("namespacesWritten", int(ptr.Deref(said.NamespacesWritten, -1)), len(t.targeted)-len(t.byNamespace))
	r.expect("failureReasons", fmt.Sprint(said.FailureReasons), fmt.Sprint(countedByReason(t.byNamespace)))
}
