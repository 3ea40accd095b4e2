package pvc

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a PersistentVolumeClaim.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a PersistentVolumeClaim and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the spec.
type Mutator struct {
	record.Mutator

	spec record.Edits[*editors.PVCSpecEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.PersistentVolumeClaim) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.spec = record.NewEdits(m.Recorder, editors.NewPVCSpecEditor(&object.Spec))
	return m
}

// EditPVCSpec records an edit of the spec. Nil is ignored.
func (m *Mutator) EditPVCSpec(edit func(*editors.PVCSpecEditor) error) { m.spec.Record(edit) }

// SetStorageRequest records how much storage is asked for.
func (m *Mutator) SetStorageRequest(quantity resource.Quantity) {
	recorded := quantity.DeepCopy()
	m.spec.RecordCall(func(e *editors.PVCSpecEditor) { e.SetStorageRequest(recorded) })
}
