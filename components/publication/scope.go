package publication

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/reach"
)

// outOfScope returns why the scope of the cluster does not have objects of the kind in that direction; empty: it does.
func (d declared) outOfScope(kind schema.GroupKind, direction v1alpha1.Direction) string {
	switch {
	case d.RemoteCluster == nil:
		return ""
	case !reach.IsPermittedKind(d.Spec.Scope.Kinds, kind):
		return "does not list the kind " + kind.String() + " in scope.kinds"
	case len(d.Spec.Scope.Directions) > 0 && !isIn(direction, d.Spec.Scope.Directions):
		return "does not list " + string(direction) + " in scope.directions"
	default:
		return ""
	}
}

// permits reports whether objects in the namespace may be read and written.
func (d declared) permits(namespace string) bool {
	return d.RemoteCluster == nil || len(d.Spec.Scope.Namespaces) == 0 || isIn(namespace, d.Spec.Scope.Namespaces)
}

// notPermitted says that the scope of the cluster does not have what a pass needs.
func notPermitted(cluster, why string) *problem {
	return &problem{v1alpha1.ReasonNotPermitted, "the RemoteCluster " + cluster + " " + why + "; copies stay as they are; list it, or do not offer it", true}
}

// outOfScope returns why the objects and their copies may not be read and written, or not any more; nil: they may.
func (p *pass) outOfScope() *problem {
	if why := p.ofConsumer.outOfScope(p.offer.consumerKind(), v1alpha1.Pull); why != "" && !p.abandoned {
		return notPermitted(p.c.cluster, why)
	}
	of := p.offer.spec.Service
	if why := p.ofService.outOfScope(groupKind(of.Resource.Group, of.Resource.Kind), v1alpha1.Push); why != "" && p.service != nil {
		return notPermitted(of.Cluster, why)
	}
	return nil
}

// outOfNamespaces returns an error if copies in the namespace may not be written, or not any more.
func (p *pass) outOfNamespaces(namespace string) error {
	switch {
	case p.ofService.permits(namespace):
		return nil
	case namespace == "":
		return notPermitted(p.offer.spec.Service.Cluster, "has scope.namespaces, and the copy would be in none")
	default:
		return notPermitted(p.offer.spec.Service.Cluster, "does not list the namespace "+namespace+" of the copy in scope.namespaces")
	}
}

// inScope returns nil if related objects of the kind may be read and written on the side.
func (p *pass) inScope(kind schema.GroupKind, isService bool) error {
	cluster, of, direction := p.c.cluster, p.ofConsumer, v1alpha1.Pull
	if isService {
		cluster, of, direction = p.offer.spec.Service.Cluster, p.ofService, v1alpha1.Push
	}
	if why := of.outOfScope(kind, direction); why != "" {
		return notPermitted(cluster, why)
	}
	return nil
}
