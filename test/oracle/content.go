package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// Theirs begins the keys of what third parties add to copies: labels, annotations, and entries of the content.
const Theirs = "theirs-"

// marks are how copies of a kind of rules are marked.
type marks struct{ annotation, label string }

var marksOf = map[string]marks{
	v1.KindProjection:        {v1.AnnotationOwnedByProjection, v1.LabelOwnedByProjectionUID},
	v1.KindClusterProjection: {v1.AnnotationOwnedByClusterProjection, v1.LabelOwnedByClusterProjectionUID},
}

// refOf returns the rule's name as the annotation of its copies has it.
func refOf(rule Rule) string {
	if rule.GetNamespace() == "" {
		return rule.GetName()
	}
	return rule.GetNamespace() + "/" + rule.GetName()
}

// contentProblems compares a copy with what the rule wants it to be. What third parties added does not count.
func contentProblems(at Place, copied *unstructured.Unstructured, p plan) []string {
	var problems []string
	differ := func(what string, is, want any) {
		if !reflect.DeepEqual(is, want) {
			problems = append(problems, fmt.Sprintf("%s: %s is %v, not %v", at, what, is, want))
		}
	}
	owner := marksOf[p.rule.GetKind()]
	labels := travelling(p.source.GetLabels(), wishOf(p.rule).overlay.Labels)
	labels[owner.label] = string(p.rule.GetUID())
	differ("the labels", withoutTheirs(copied.GetLabels()), labels)

	annotations := travelling(p.source.GetAnnotations(), wishOf(p.rule).overlay.Annotations)
	annotations[owner.annotation] = refOf(p.rule)
	is := withoutTheirs(copied.GetAnnotations())
	if is[v1.AnnotationContentHash] == "" {
		problems = append(problems, fmt.Sprintf("%s has no content hash", at))
	}
	delete(is, v1.AnnotationContentHash)
	delete(is, v1.AnnotationPlace)                                                                // it is right, if there is one: else nobody owned the object
	if uid, stamped := is[v1.AnnotationSourceUID]; stamped && p.source.GetKind() == "ConfigMap" { // none of the sources is immutable
		problems = append(problems, fmt.Sprintf("%s has the uid %s of its source", at, uid))
	}
	if source, stamped := is[v1.AnnotationSource]; stamped { // a copy without it is in sync
		differ("the source that it names", source, sourceOf(p.source))
	}
	delete(is, v1.AnnotationSource)
	delete(is, v1.AnnotationSourceUID) // a source with the same content may have replaced the one that is noted
	differ("the annotations", is, annotations)

	differ("the content", contentOf(copied), contentOf(p.source))
	differ("the owner references and finalizers", len(copied.GetOwnerReferences())+len(copied.GetFinalizers()), 0)
	return problems
}

// sourceOf returns how a copy names its source.
func sourceOf(source *unstructured.Unstructured) string {
	return source.GroupVersionKind().GroupKind().String() + "/" + source.GetNamespace() + "/" + source.GetName()
}

// travelling returns the labels or annotations that a copy has of its source and its rule.
func travelling(source, overlay map[string]string) map[string]string {
	entries := map[string]string{}
	for key, value := range source {
		if !strings.HasPrefix(key, v1.Domain+"/") {
			entries[key] = value
		}
	}
	maps.Copy(entries, overlay)
	return entries
}

func withoutTheirs(entries map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range entries {
		if !strings.HasPrefix(key, Theirs) {
			kept[key] = value
		}
	}
	return kept
}

// contentOf returns everything but metadata and status, without the entries of third parties and empty maps.
func contentOf(object *unstructured.Unstructured) map[string]any {
	content := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(object.Object)) {
		if field == "metadata" || field == "status" {
			continue
		}
		value := object.Object[field]
		if entries, ok := value.(map[string]any); ok {
			own := map[string]any{}
			for key, entry := range entries {
				if !strings.HasPrefix(key, Theirs) {
					own[key] = entry
				}
			}
			if len(own) == 0 {
				continue
			}
			value = own
		}
		content[field] = value
	}
	return content
}
