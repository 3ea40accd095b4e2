// Package rolebinding is the primitive for RoleBindings. The roleRef of the baseline has to be complete: it cannot be changed later.
package rolebinding

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/concepts"
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

// ExtractInto declares that the resource that b builds puts a value into the cell, for later resources of its component. The
// function is called with a copy of the object as the API server returned it. A nil cell or function is reported by Build.
func ExtractInto[V any](b *Builder, cell *concepts.Data[V], fn func(rbacv1.RoleBinding) (V, error)) {
	typed.ExtractInto(&b.Builder, cell, fn)
}
