package editors

import (
	"bytes"
	"fmt"
)

// ConfigMapDataEditor edits the entries of a ConfigMap.
type ConfigMapDataEditor struct {
	data       entries[string]
	binaryData entries[[]byte]
}

// NewConfigMapDataEditor returns an editor of data and binaryData. A nil pointer is replaced by a map of the editor's own.
func NewConfigMapDataEditor(data *map[string]string, binaryData *map[string][]byte) *ConfigMapDataEditor {
	return &ConfigMapDataEditor{data: entriesOf(data), binaryData: entriesOf(binaryData)}
}

// Set sets an entry of data.
func (e *ConfigMapDataEditor) Set(key, value string) { e.data.set(key, value) }

// Remove removes an entry of data.
func (e *ConfigMapDataEditor) Remove(key string) { e.data.unset(key) }

// SetBinary sets an entry of binaryData.
func (e *ConfigMapDataEditor) SetBinary(key string, value []byte) {
	e.binaryData.set(key, bytes.Clone(value))
}

// RemoveBinary removes an entry of binaryData.
func (e *ConfigMapDataEditor) RemoveBinary(key string) { e.binaryData.unset(key) }

// Raw returns data. A missing map is made.
func (e *ConfigMapDataEditor) Raw() map[string]string { return e.data.raw() }

// RawBinary returns binaryData. A missing map is made.
func (e *ConfigMapDataEditor) RawBinary() map[string][]byte { return e.binaryData.raw() }

// MergeYAML merges a patch into an entry of data, both of them one document of YAML. Maps are merged key by key; of
// anything else the patch wins, null included. Keys are sorted, comments are lost, and integers of 64 bits stay as they are.
// An absent or empty entry becomes the patch. After an error the entry is unchanged.
func (e *ConfigMapDataEditor) MergeYAML(key, patch string) error {
	overlay, err := parseYAML(patch)
	if err != nil {
		return fmt.Errorf("configmap entry %q: failed to parse YAML patch: %w", key, err)
	}
	merged := overlay
	if existing := (*e.data.wrapped)[key]; existing != "" {
		base, err := parseYAML(existing)
		if err != nil {
			return fmt.Errorf("configmap entry %q: failed to parse existing value as YAML: %w", key, err)
		}
		merged = merge(base, overlay)
	}
	text, err := marshalYAML(merged)
	if err != nil {
		return fmt.Errorf("configmap entry %q: failed to marshal merged YAML: %w", key, err)
	}
	e.data.set(key, text)
	return nil
}
