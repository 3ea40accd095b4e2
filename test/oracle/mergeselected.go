package oracle

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
)

// withSelected returns the wish of the rule with the objects that match in place of its selectors, each as an optional layer, by name.
func (w *world) withSelected(rule Rule, wish wish) wish {
	var layers []layer
	for _, each := range wish.layers {
		if each.selector == nil {
			layers = append(layers, each)
			continue
		}
		isMet := each.optional
		for _, name := range w.selectedAt(each, rule) {
			at := Place{each.Kind, each.Namespace, name}
			layers = append(layers, layer{Place: at, optional: true, isSource: each.isSource})
			isMet = isMet || w.consentOf(at, wish) == given
		}
		wish.isUnmet = wish.isUnmet || !isMet
	}
	wish.layers = layers
	return wish
}

// selectedAt returns the names of the objects that a selector selects: those that match, are not being deleted, and are no copies of the rule.
func (w *world) selectedAt(of layer, rule Rule) (names []string) {
	isSelected := func(at Place, object *unstructured.Unstructured) bool {
		return at.Kind == of.Kind && at.Namespace == of.Namespace && !w.namesAsOwner(object, rule) && object.GetDeletionTimestamp() == nil &&
			selects(requirementsOf(of.selector), object.GetLabels())
	}
	for at, object := range w.foreign {
		if isSelected(at, object) {
			names = append(names, at.Name)
		}
	}
	for at, object := range w.Objects {
		if _, foreign := w.foreign[at]; !foreign && isSelected(at, object) {
			names = append(names, at.Name)
		}
	}
	slices.Sort(names)
	return names
}

// selected looks at how many objects a rule says that it merges because it selects them.
func (r *report) selected(p *plan) {
	if wishOf(p.rule).isSelection && (p.source != nil || p.isNothing) {
		r.expect("sources", int(ptr.Deref(p.rule.GetCommonStatus().Sources, -1)), p.sources)
	}
}

// toMerge is what a rule merges.
type toMerge struct {
	// first is the first one that is selected as a source, and whose owner consents.
	first   *unstructured.Unstructured
	sources int
	layers  []*unstructured.Unstructured
	// denied is why no copy is wanted: the owner of a layer that is not optional does not consent.
	denied []string
	// missing is why copies stay as they are: a layer that is not optional does not exist, or one is a copy of the rule.
	missing []string
}

func (w *world) toMerge(rule Rule, wish wish) (m toMerge) {
	if wish.isUnmet {
		m.missing = []string{v1.ReasonSourceNotFound}
	}
	for _, each := range wish.layers {
		object, why := w.consenting(each.Place)
		if object != nil && !declaresPublic(object, wish) {
			object, why = nil, []string{v1.ReasonSourceNotProjectable}
		}
		live, exists := w.Objects[each.Place]
		switch {
		case object != nil:
			m.layers = append(m.layers, object)
			if each.isSource {
				m.first = cmp.Or(m.first, object)
				m.sources++
			}
		case exists && w.namesAsOwner(live, rule): // it does not consent; but nobody has opted out
			m.missing = []string{v1.ReasonSourceNotProjectable}
		case each.optional:
		case slices.Contains(why, v1.ReasonSourceDeleted):
			m.missing = append(m.missing, v1.ReasonSourceNotFound)
		case m.denied == nil:
			m.denied = why
		}
	}
	return m
}

// sourceOf returns what everything but the keys is copied of, or why there is nothing to copy.
func (w *world) sourceOf(wish wish, m toMerge) (*unstructured.Unstructured, []string) {
	if wish.isSelection {
		return m.first, nil
	}
	source, reasons := w.consenting(wish.source)
	if source != nil && !declaresPublic(source, wish) {
		return nil, []string{v1.ReasonSourceNotProjectable}
	}
	return source, reasons
}

// mayStay tells whether a copy may stay as it is while a layer is missing: nobody is known to deny what it names.
func (w *world) mayStay(copied *unstructured.Unstructured, wish wish) bool {
	names := strings.Split(copied.GetAnnotations()[v1.AnnotationLayers], ",")
	return !slices.ContainsFunc(append(names, copied.GetAnnotations()[v1.AnnotationSource]), func(name string) bool {
		parts := strings.Split(name, "/")
		if len(parts) != 3 || parts[2] == "*" {
			return false
		}
		at := Place{schema.GroupKind{Kind: parts[0]}, parts[1], parts[2]}
		object, exists := w.foreign[at]
		permits := exists && permissionOf(object).permits(w.Namespaces[copied.GetNamespace()].GetLabels())
		return w.consentOf(at, wish) == denied || exists && !permits
	})
}
