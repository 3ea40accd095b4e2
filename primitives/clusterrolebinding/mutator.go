package clusterrolebinding

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a ClusterRoleBinding.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a ClusterRoleBinding and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the subjects.
type Mutator struct {
	record.Mutator

	subjects record.Edits[*editors.BindingSubjectsEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *rbacv1.ClusterRoleBinding) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.subjects = record.NewEdits(m.Recorder, editors.NewBindingSubjectsEditor(&object.Subjects))
	return m
}

// EditSubjects records an edit of the subjects. Nil is ignored.
func (m *Mutator) EditSubjects(edit func(*editors.BindingSubjectsEditor) error) {
	m.subjects.Record(edit)
}
