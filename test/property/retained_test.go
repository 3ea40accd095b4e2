package property_test

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// retains notes that the operator may make ordinary objects of the copies of the rule.
func (d *driver) retains(rule client.Object, policy v1.Policy) {
	if policy.Retains(v1.RetainRuleDeleted) || policy.Retains(v1.RetainTargetDropped) {
		d.retaining[fieldManager(rule)] = true
	}
}

// fieldManager returns the name of the field manager of a rule's copies.
func fieldManager(rule client.Object) string {
	if rule.GetNamespace() == "" {
		return v1.KindClusterProjection + "/" + rule.GetName()
	}
	return v1.KindProjection + "/" + rule.GetNamespace() + "/" + rule.GetName()
}

// noteRetained notes the copies that the operator has made ordinary objects: from then on they are foreign. What is in a namespace that is
// being deleted goes with it.
func (d *driver) noteRetained(state oracle.State) {
	for at, object := range state.Objects {
		namespace := state.Namespaces[at.Namespace]
		annotations := object.GetAnnotations()
		_, byProjection := annotations[v1.AnnotationOwnedByProjection]
		_, byClusterProjection := annotations[v1.AnnotationOwnedByClusterProjection]
		if byProjection || byClusterProjection || d.isForeign(object) || !d.retaining[maker(object)] || namespace == nil || namespace.DeletionTimestamp != nil {
			continue
		}
		d.foreign.Note(object)
		delete(d.owners, object.GetUID())
	}
}
