package component

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OnlyIfOwned keeps the component from deleting an object that it never applied, whatever would have it deleted: an option, a
// gate, a component that is disabled, a suspension. An object is the owner's if it has a reference to it, or a field that
// the component manages. It has no effect on what is applied. With WithFieldManager, objects of all owners that share the
// manager count.
//
// Example: a user has a ServiceAccount of the same name while the feature is off.
func OnlyIfOwned() ResourceOption { return func(c *resourceConfig) { c.onlyIfOwned = true } }

// ours reports whether the owner has a trace in the live object.
func (p *pass) ours(live client.Object) bool {
	return hasOwner(live, p.rec.Owner) || managedBy(live, func(manager string) bool {
		return manager == p.component.fieldOwner(p.rec.Owner)
	})
}

func hasOwner(live client.Object, owner OperatorCRD) bool {
	return slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == owner.GetUID()
	})
}

// managedBy reports whether a field of the object belongs to such a manager.
func managedBy(live client.Object, is func(manager string) bool) bool {
	return slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return is(entry.Manager)
	})
}
