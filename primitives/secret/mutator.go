package secret

import (
	"bytes"
	"maps"

	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/lists"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a Secret.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a Secret and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the entries.
type Mutator struct {
	record.Mutator

	object *corev1.Secret
	data   record.Edits[*editors.SecretDataEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.Secret) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta), object: object}
	m.data = record.NewEdits(m.Recorder, editors.NewSecretDataEditor(&object.Data, &object.StringData))
	return m
}

// EditData records an edit of the entries. Nil is ignored.
func (m *Mutator) EditData(edit func(*editors.SecretDataEditor) error) { m.data.Record(edit) }

// SetData records an entry of data.
func (m *Mutator) SetData(key string, value []byte) {
	recorded := bytes.Clone(value)
	m.data.RecordCall(func(e *editors.SecretDataEditor) { e.Set(key, recorded) })
}

// RemoveData records that an entry of data goes.
func (m *Mutator) RemoveData(key string) {
	m.data.RecordCall(func(e *editors.SecretDataEditor) { e.Remove(key) })
}

// SetStringData records an entry of stringData.
func (m *Mutator) SetStringData(key, value string) {
	m.data.RecordCall(func(e *editors.SecretDataEditor) { e.SetString(key, value) })
}

// RemoveStringData records that an entry of stringData goes.
func (m *Mutator) RemoveStringData(key string) {
	m.data.RecordCall(func(e *editors.SecretDataEditor) { e.RemoveString(key) })
}

// Apply carries out the recorded edits, and then moves stringData to data, over what is there.
//
// Example: a mutation sets the string "password", and is removed in the next version. Applied as stringData, the entry would
// stay in data for ever, since nobody ever owned it there.
func (m *Mutator) Apply() error {
	if err := m.Mutator.Apply(); err != nil {
		return err
	}
	m.object.Data, m.object.StringData = effective(m.object), nil
	return nil
}

// effective returns data with stringData over it, as the API server stores it. The Secret stays as it is.
func effective(object *corev1.Secret) map[string][]byte {
	if len(object.StringData) == 0 {
		return object.Data
	}
	data := maps.Clone(object.Data)
	for key, value := range object.StringData {
		lists.Set(&data, key, []byte(value))
	}
	return data
}
