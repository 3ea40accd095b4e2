package editors

import "bytes"

// SecretDataEditor edits the entries of a Secret.
type SecretDataEditor struct {
	data       entries[[]byte]
	stringData entries[string]
}

// NewSecretDataEditor returns an editor of data and stringData. A nil pointer is replaced by a map of the editor's own.
func NewSecretDataEditor(data *map[string][]byte, stringData *map[string]string) *SecretDataEditor {
	return &SecretDataEditor{data: entriesOf(data), stringData: entriesOf(stringData)}
}

// Set sets an entry of data.
func (e *SecretDataEditor) Set(key string, value []byte) { e.data.set(key, bytes.Clone(value)) }

// Remove removes an entry of data.
func (e *SecretDataEditor) Remove(key string) { e.data.unset(key) }

// SetString sets an entry of stringData.
func (e *SecretDataEditor) SetString(key, value string) { e.stringData.set(key, value) }

// RemoveString removes an entry of stringData.
func (e *SecretDataEditor) RemoveString(key string) { e.stringData.unset(key) }

// Raw returns data. A missing map is made.
func (e *SecretDataEditor) Raw() map[string][]byte { return e.data.raw() }

// RawStringData returns stringData. A missing map is made.
func (e *SecretDataEditor) RawStringData() map[string]string { return e.stringData.raw() }
