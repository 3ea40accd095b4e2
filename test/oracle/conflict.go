package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// Adopted are copies that were foreign objects, as their writers left them, by their uid.
type Adopted map[types.UID]*unstructured.Unstructured

// adopted reports whether an object that was foreign, and named no rule as its owner when its writer left it, names one now that adopts objects.
func (w *world) adopted(at Place, noted *unstructured.Unstructured) bool {
	live, exists := w.Objects[at]
	return exists && live.GetUID() == noted.GetUID() && !IsClaimed(noted) && slices.ContainsFunc(w.Rules, func(rule Rule) bool {
		return wishOf(rule).policy.OnConflict.Adopts() && live.GetAnnotations()[marksOf[rule.GetKind()].annotation] == refOf(rule)
	})
}

// IsClaimed reports whether the object has an annotation that names a rule as its owner, whichever and wherever that may be, or the label that stays
// when somebody releases a copy; or whether it is a source itself.
func IsClaimed(object *unstructured.Unstructured) bool {
	consent, said := object.GetAnnotations()[v1.AnnotationProjectable]
	_, declared := object.GetAnnotations()[v1.AnnotationPublicKeys]
	return said && consent != v1.ProjectableFalse || declared || slices.ContainsFunc(slices.Collect(maps.Values(marksOf)), func(m marks) bool {
		_, named := object.GetAnnotations()[m.annotation]
		_, labelled := object.GetLabels()[m.label]
		return named || labelled
	})
}

// mayAdopt reports whether the rule makes the foreign object a copy: its author has asked for that, nobody has a claim on the object and, if
// only identical objects are adopted, it says what the copy would say. The objects of the world belong to no
// tool and no controller.
func (p *plan) mayAdopt(foreign *unstructured.Unstructured) bool {
	policy := wishOf(p.rule).policy.OnConflict
	if policy != v1.ConflictAdopt && policy != v1.ConflictAdoptIdentical || IsClaimed(foreign) {
		return false
	}
	if policy == v1.ConflictAdopt {
		return !p.isRefusedBy(foreign)
	}
	return p.saysTheSame(foreign)
}

// saysTheSame reports whether the foreign object has what the copy would have.
func (p *plan) saysTheSame(foreign *unstructured.Unstructured) bool {
	wish := wishOf(p.rule)
	annotations := travelling(publicAnnotations(p.source, wish), wish.content.Annotations, wish.overlay.Annotations)
	if slices.ContainsFunc(p.all(), func(source *unstructured.Unstructured) bool { return permissionOf(source).limited }) {
		annotations[v1.AnnotationProjectable] = "false"
	}
	for _, entries := range [][2]map[string]string{
		{travelling(p.source.GetLabels(), wish.content.Labels, wish.overlay.Labels), foreign.GetLabels()}, {annotations, foreign.GetAnnotations()},
	} {
		for key, value := range entries[0] {
			if is, found := entries[1][key]; found && is != value {
				return false
			}
		}
	}
	wanted := contentOnly(p.merged())
	has := contentOnly(foreign)
	if wish.kind.Group == "" { // a ConfigMap or a Secret
		return reflect.DeepEqual(wanted, has)
	}
	for field, value := range wanted {
		fields, _ := value.(map[string]any)
		for name, entry := range fields {
			theirs, _ := has[field].(map[string]any)
			if !reflect.DeepEqual(theirs[name], entry) {
				return false
			}
		}
	}
	return true
}

// contentOnly returns everything but metadata, status and empty maps.
func contentOnly(object *unstructured.Unstructured) map[string]any {
	content := map[string]any{}
	for field, value := range object.Object {
		entries, isMap := value.(map[string]any)
		if field != "metadata" && field != "status" && (!isMap || len(entries) > 0) {
			content[field] = value
		}
	}
	return content
}

// withoutLeft returns a copy that was adopted without what it had before and the rule does not want: that stays with whoever wrote it.
func withoutLeft(copied, noted *unstructured.Unstructured, p plan) *unstructured.Unstructured {
	if noted == nil {
		return copied
	}
	left := copied.DeepCopy()
	wish := wishOf(p.rule)
	wanted := p.merged()
	without := func(wanted map[string]bool, path ...string) {
		before, _, _ := unstructured.NestedMap(noted.Object, path...)
		for key, value := range before {
			is, found, _ := unstructured.NestedFieldNoCopy(left.Object, append(path, key)...)
			if found && !wanted[key] && reflect.DeepEqual(is, value) {
				unstructured.RemoveNestedField(left.Object, append(path, key)...)
			}
		}
	}
	without(keySet(travelling(p.source.GetLabels(), wish.content.Labels, wish.overlay.Labels)), "metadata", "labels")
	without(keySet(travelling(publicAnnotations(p.source, wish), wish.content.Annotations, wish.overlay.Annotations)), "metadata", "annotations")
	for _, field := range []string{"data", "binaryData", "spec"} {
		entries, _ := wanted.Object[field].(map[string]any)
		without(keySet(entries), field)
	}
	return left
}

func keySet[V any](entries map[string]V) map[string]bool {
	keys := map[string]bool{}
	for key := range entries {
		keys[key] = true
	}
	return keys
}

// notAdopted finds foreign objects that a rule has to make copies, and copies that no rule was allowed to adopt.
func (w *world) notAdopted() []string {
	var problems []string
	for _, p := range w.plans {
		for _, t := range p.targets {
			if foreign, found := w.foreign[t.Place]; found && t.obstacle == "" && p.mayAdopt(foreign) && !wishOf(p.rule).suspended {
				problems = append(problems, fmt.Sprintf("%s is not adopted by %s %s", t.Place, p.rule.GetKind(), refOf(p.rule)))
			}
		}
	}
	for at, noted := range w.taken {
		if owner, found := w.owners[at]; found && owner.source != nil && !owner.mayAdopt(noted) {
			problems = append(problems, fmt.Sprintf("%s was adopted by %s %s, which must not", at, owner.rule.GetKind(), refOf(owner.rule)))
		}
	}
	return problems
}

// skips reports whether the rule does without its copy: another object is there, which is neither the source itself nor one of its layers.
func (w *world) skips(p *plan, t target) bool {
	wish := w.withSelected(p.rule, wishOf(p.rule))
	isItself := t.Place == wish.source || slices.Contains(placesOf(wish.layers), t.Place)
	return wish.policy.OnConflict == v1.ConflictSkip && w.obstacleTo(p, t) == conflict && !isItself
}

// reported returns the targets that the rule does not do without.
func (w *world) reported(p *plan) []target {
	return slices.DeleteFunc(slices.Clone(p.targets), func(t target) bool { return w.skips(p, t) })
}
