package component

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// own makes the owner the controller of the object, or takes the owner's reference away from an unowned one. It is
// ownerless if the object is cluster-scoped and the owner is not.
func (p *pass) own(object client.Object, r registration) (ownerless bool, err error) {
	if r.unowned {
		removeOwner(object, p.rec.Owner.GetUID())
		return false, nil
	}
	ownable, err := p.canOwn(object)
	if err != nil {
		return false, fmt.Errorf("failed to determine owner reference eligibility for resource %s: %w", r.identity, err)
	}
	if !ownable {
		return true, nil
	}
	if err := controllerutil.SetControllerReference(p.rec.Owner, object, p.rec.Scheme); err != nil {
		return false, fmt.Errorf("failed to set owner reference for resource %s: %w", r.identity, err)
	}
	return false, nil
}

func (p *pass) canOwn(object client.Object) (bool, error) {
	mapper := p.rec.Client.RESTMapper()
	namespaced, err := apiutil.IsObjectNamespaced(object, p.rec.Scheme, mapper)
	if err != nil || namespaced {
		return namespaced, err
	}
	ownerNamespaced, err := apiutil.IsObjectNamespaced(p.rec.Owner, p.rec.Scheme, mapper)
	return !ownerNamespaced, err
}

// removeOwner removes the references to the owner and reports whether there were any.
func removeOwner(object client.Object, owner types.UID) bool {
	before := object.GetOwnerReferences()
	after := slices.DeleteFunc(slices.Clone(before), func(ref metav1.OwnerReference) bool { return ref.UID == owner })
	if len(after) == len(before) {
		return false
	}
	if len(after) == 0 {
		after = nil
	}
	object.SetOwnerReferences(after)
	return true
}
