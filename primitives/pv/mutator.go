package pv

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a PersistentVolume.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a PersistentVolume and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.PVSpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.PersistentVolume) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewPVSpecEditor(&object.Spec))
	return m
}

// EditPVSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditPVSpec(edit func(*editors.PVSpecEditor) error) { m.spec.Record(edit) }

// SetStorageClassName records the storage class.
func (m *Mutator) SetStorageClassName(name string) {
	m.spec.RecordCall(func(e *editors.PVSpecEditor) { e.SetStorageClassName(name) })
}

// SetReclaimPolicy records what becomes of the volume when its claim goes.
func (m *Mutator) SetReclaimPolicy(policy corev1.PersistentVolumeReclaimPolicy) {
	m.spec.RecordCall(func(e *editors.PVSpecEditor) { e.SetPersistentVolumeReclaimPolicy(policy) })
}

// SetMountOptions records the options of the mount.
func (m *Mutator) SetMountOptions(options []string) {
	recorded := slices.Clone(options)
	m.spec.RecordCall(func(e *editors.PVSpecEditor) { e.SetMountOptions(recorded) })
}
