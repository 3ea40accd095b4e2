package oracle

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// formerOf returns the part of all copies that are of no source which the rule selects. With SourceGone, they are retained as long as their owners
// consent, or consented last.
func (w *world) formerOf(rule Rule) plan {
	p := plan{rule: naming(rule, "/"), isPart: true, isLast: true}
	wish := wishOf(rule)
	if !slices.Contains(wish.policy.Retain, v1.RetainSourceGone) {
		return p
	}
	p.kept = w.selected(rule)
	p.mayStay = func(copied *unstructured.Unstructured) bool {
		parts := strings.Split(copied.GetAnnotations()[v1.AnnotationSource], "/")
		if len(parts) != 3 {
			return false
		}
		at := Place{schema.ParseGroupKind(parts[0]), parts[1], parts[2]}
		isOfRule := at.Kind == wish.source.Kind && at.Namespace == wish.source.Namespace
		object, exists := w.foreign[at]
		if exists {
			permits := permissionOf(object).permits(w.Namespaces[copied.GetNamespace()].GetLabels())
			return isOfRule && w.consentOf(at, wish) == given && permits
		}
		return isOfRule && w.consentOf(at, wish) == unknown && isRecorded(rule, at)
	}
	return p
}

// keepsFormer tells whether the rule has copies of sources that it does not select.
func (w *world) keepsFormer(g group) bool {
	for at, owner := range w.owners {
		if owner == w.found(&g.parts[len(g.parts)-1]) && owner.keeps(at, w.Objects[at]) {
			return true
		}
	}
	return false
}
