package editors

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// BindingSubjectsEditor edits the subjects of a RoleBinding or ClusterRoleBinding. Subjects are told apart by kind, name
// and namespace, not by API group.
type BindingSubjectsEditor struct {
	wrapper[[]rbacv1.Subject]
}

var _ RawEditor[[]rbacv1.Subject] = (*BindingSubjectsEditor)(nil)

// NewBindingSubjectsEditor returns an editor of subjects. A nil pointer is replaced by a list of the editor's own.
func NewBindingSubjectsEditor(subjects *[]rbacv1.Subject) *BindingSubjectsEditor {
	return &BindingSubjectsEditor{wrapper[[]rbacv1.Subject]{orNew(subjects)}}
}

// EnsureSubject adds a subject.
func (e *BindingSubjectsEditor) EnsureSubject(subject rbacv1.Subject) {
	lists.Ensure(e.raw, subject, sameSubject(subject.Kind, subject.Name, subject.Namespace))
}

// RemoveSubject removes every subject of that kind, name and namespace.
func (e *BindingSubjectsEditor) RemoveSubject(kind, name, namespace string) {
	lists.Remove(e.raw, sameSubject(kind, name, namespace))
}

// EnsureServiceAccount adds a service account.
func (e *BindingSubjectsEditor) EnsureServiceAccount(name, namespace string) {
	e.EnsureSubject(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: namespace})
}

// RemoveServiceAccount removes a service account.
func (e *BindingSubjectsEditor) RemoveServiceAccount(name, namespace string) {
	e.RemoveSubject(rbacv1.ServiceAccountKind, name, namespace)
}

func sameSubject(kind, name, namespace string) func(rbacv1.Subject) bool {
	return func(subject rbacv1.Subject) bool {
		return subject.Kind == kind && subject.Name == name && subject.Namespace == namespace
	}
}

// orNew returns a pointer to a list that nobody reads in the place of nil.
func orNew[T any](list *[]T) *[]T {
	if list == nil {
		return new([]T)
	}
	return list
}
