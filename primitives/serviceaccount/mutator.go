package serviceaccount

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/lists"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a ServiceAccount.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a ServiceAccount and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the pull secrets, whether the token is mounted.
type Mutator struct {
	record.Mutator

	pullSecrets record.Edits[*[]corev1.LocalObjectReference]
	automount   record.Edits[*corev1.ServiceAccount]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.ServiceAccount) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.pullSecrets = record.NewEdits(m.Recorder, &object.ImagePullSecrets)
	m.automount = record.NewEdits(m.Recorder, object)
	return m
}

// EnsureImagePullSecret records a pull secret, by name.
func (m *Mutator) EnsureImagePullSecret(name string) {
	reference := corev1.LocalObjectReference{Name: name}
	m.pullSecrets.RecordCall(func(list *[]corev1.LocalObjectReference) {
		lists.EnsureAbsent(list, reference, lists.Equal(reference))
	})
}

// RemoveImagePullSecret records that every pull secret of that name goes.
func (m *Mutator) RemoveImagePullSecret(name string) {
	reference := corev1.LocalObjectReference{Name: name}
	m.pullSecrets.RecordCall(func(list *[]corev1.LocalObjectReference) { lists.Remove(list, lists.Equal(reference)) })
}

// SetAutomountServiceAccountToken records whether pods get a token; nil leaves that to the pods.
func (m *Mutator) SetAutomountServiceAccountToken(automount *bool) {
	recorded := lists.Clone(automount)
	m.automount.RecordCall(func(object *corev1.ServiceAccount) {
		object.AutomountServiceAccountToken = lists.Clone(recorded)
	})
}
