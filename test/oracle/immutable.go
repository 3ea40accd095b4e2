package oracle

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// staysFixed tells whether the copy stays as it is because it is immutable and the rule wants other content: it is not replaced with its source, and not
// recreated.
func (w *world) staysFixed(p *plan, at Place) bool {
	copied, exists := w.Objects[at]
	if !exists || w.owners[at] != p || !p.wants(at) || copied.Object["immutable"] != true || p.createsOnly(copied) {
		return false
	}
	c := comparison{at: at}
	c.content(withoutLeft(copied, w.leftOf(at), *p), *p)
	mayRecreate := wishOf(p.rule).policy.OnImmutable == v1.ImmutableRecreate && !saysTooSoon(p.rule)
	return len(c.problems) > 0 && !p.isOfAnotherSource(copied) && !mayRecreate
}

// isOfAnotherSource tells whether the copy was written from an object that is not the source now.
func (p *plan) isOfAnotherSource(copied *unstructured.Unstructured) bool {
	uid := string(p.source.GetUID())
	if wishOf(p.rule).isSelection {
		uid = ""
	}
	from := copied.GetAnnotations()[v1.AnnotationSourceUID]
	return from != "" && from != uid
}

// saysTooSoon tells whether the rule says that it has recreated a copy with the same content not long ago.
func saysTooSoon(rule Rule) bool {
	const words = "created with the same content less than ten minutes ago"
	if clusterwide, ok := rule.(*v1.ClusterProjection); ok && slices.ContainsFunc(clusterwide.Status.Failures, func(f v1.NamespaceFailure) bool {
		return strings.Contains(f.Message, words)
	}) {
		return true
	}
	return slices.ContainsFunc(*rule.GetStatusConditions(), func(c metav1.Condition) bool { return strings.Contains(c.Message, words) })
}

// withoutTheirImmutable returns the copy without the field immutable if the rule does not want it and somebody else has set it.
func withoutTheirImmutable(copied, wanted *unstructured.Unstructured, rule Rule) *unstructured.Unstructured {
	manager := rule.GetKind() + "/" + refOf(rule)
	_, isWanted := wanted.Object["immutable"]
	isOurs := slices.ContainsFunc(copied.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager && entry.FieldsV1 != nil && strings.Contains(entry.FieldsV1.GetRawString(), `"f:immutable"`)
	})
	if isWanted || isOurs {
		return copied
	}
	return withoutFields(copied, []string{"immutable"})
}

// isRefusedBy tells whether the foreign object is immutable and would get other content if it became the copy.
func (p *plan) isRefusedBy(foreign *unstructured.Unstructured) bool {
	if foreign.Object["immutable"] != true {
		return false
	}
	wanted := p.merged()
	for _, field := range []string{"data", "binaryData"} {
		is, _, _ := unstructured.NestedMap(foreign.Object, field)
		entries, _, _ := unstructured.NestedMap(wanted.Object, field)
		for key, value := range entries {
			if is[key] != value {
				return true
			}
		}
	}
	return false
}
