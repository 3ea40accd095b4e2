// Package clusterrole is the primitive for ClusterRoles, which are cluster-scoped.
package clusterrole

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a ClusterRole. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.StaticResource[*rbacv1.ClusterRole, *Mutator]

// Builder builds a Resource.
type Builder = typed.StaticBuilder[rbacv1.ClusterRole, *rbacv1.ClusterRole, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *rbacv1.ClusterRole) *Builder {
	return typed.NewStaticBuilder(object, typed.Kind[*rbacv1.ClusterRole]{Name: "rbac.authorization.k8s.io/v1/ClusterRole", ClusterScoped: true}, NewMutator)
}
