// Package rolebinding is the primitive for RoleBindings. The roleRef of the baseline has to be complete: it cannot be changed later.
package rolebinding

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/internal/roleref"
	"projection.sh/operator/primitives/internal/typed"
)

// Resource is a RoleBinding. It is ready as soon as it is applied, and left alone by a suspension.
type Resource = typed.StaticResource[*rbacv1.RoleBinding, *Mutator]

// Builder builds a Resource.
type Builder = typed.StaticBuilder[rbacv1.RoleBinding, *rbacv1.RoleBinding, *Mutator]

// NewBuilder starts a resource from its baseline, the newest desired state. Faults of the object are reported by Build.
func NewBuilder(object *rbacv1.RoleBinding) *Builder {
	return typed.NewStaticBuilder(object, typed.Kind[*rbacv1.RoleBinding]{Name: "rbac.authorization.k8s.io/v1/RoleBinding", Validate: validate}, NewMutator)
}

func validate(object *rbacv1.RoleBinding) error { return roleref.Validate(object.RoleRef) }
