package oracle

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// createsOnly tells whether the rule leaves the content of the copy as it is: one that names another source, or none, it does not.
func (p *plan) createsOnly(copied *unstructured.Unstructured) bool {
	return wishOf(p.rule).policy.Updates == v1.UpdateCreateOnly && copied.GetAnnotations()[v1.AnnotationSource] == refOfSource(wishOf(p.rule).source) &&
		!p.isDenied(copied)
}

// markProblems looks at a copy that has any content. What its rule needs to find it is there, and what the owner of its source demands.
func markProblems(at Place, copied *unstructured.Unstructured, p plan) []string {
	c := comparison{at: at}
	c.differ("the uid of the rule", copied.GetLabels()[marksOf[p.rule.GetKind()].label], string(p.rule.GetUID()))
	c.differ("whether keys are not declared public", holdsUndeclared(copied, p.source), false)
	if slices.ContainsFunc(p.all(), func(source *unstructured.Unstructured) bool {
		return permissionOf(source).limited && names(copied, source)
	}) {
		c.differ("the opt-out", copied.GetAnnotations()[v1.AnnotationProjectable], v1.ProjectableFalse)
	}
	uid, noted := copied.GetAnnotations()[v1.AnnotationSourceUID]
	if noted && !wishOf(p.rule).isSelection && !slices.Contains(wishOf(p.rule).policy.Retain, v1.RetainSourceGone) {
		c.differ("the uid of the source", uid, string(p.source.GetUID()))
	}
	c.differ("the owner references and finalizers", len(copied.GetOwnerReferences())+len(copied.GetFinalizers()), 0)
	return c.problems
}

// names tells whether the copy says that it has content of the object.
func names(copied, object *unstructured.Unstructured) bool {
	annotations, name := copied.GetAnnotations(), sourceOf(object)
	return annotations[v1.AnnotationSource] == name || slices.Contains(strings.Split(annotations[v1.AnnotationLayers], ","), name)
}
