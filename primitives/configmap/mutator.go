package configmap

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a ConfigMap.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a ConfigMap and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the entries.
type Mutator struct {
	record.Mutator

	data record.Edits[*editors.ConfigMapDataEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.ConfigMap) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.data = record.NewEdits(m.Recorder, editors.NewConfigMapDataEditor(&object.Data, &object.BinaryData))
	return m
}

// EditData records an edit of the entries. Nil is ignored.
func (m *Mutator) EditData(edit func(*editors.ConfigMapDataEditor) error) { m.data.Record(edit) }

// SetEntry records an entry of data.
func (m *Mutator) SetEntry(key, value string) {
	m.data.RecordCall(func(e *editors.ConfigMapDataEditor) { e.Set(key, value) })
}

// RemoveEntry records that an entry of data goes.
func (m *Mutator) RemoveEntry(key string) {
	m.data.RecordCall(func(e *editors.ConfigMapDataEditor) { e.Remove(key) })
}

// MergeYAML records a patch of an entry of data, as ConfigMapDataEditor.MergeYAML describes it. Apply returns its error.
func (m *Mutator) MergeYAML(key, patch string) {
	m.data.Record(func(e *editors.ConfigMapDataEditor) error { return e.MergeYAML(key, patch) })
}
