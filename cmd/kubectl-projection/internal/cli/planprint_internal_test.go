package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFieldsOfARuleThatChange(t *testing.T) {
	before := map[string]any{"source": map[string]any{"name": "a"}, "suspend": true, "same": []any{"x"}}
	after := map[string]any{"source": map[string]any{"name": "b"}, "overlay": map[string]any{"labels": "l"}, "same": []any{"x"}}
	var said []string
	for _, field := range fieldChanges("spec", before, after) {
		said = append(said, field.String())
	}
	assert.Equal(t, []string{`spec.overlay: added {"labels":"l"}`, `spec.source.name: "a" -> "b"`, "spec.suspend: removed true"}, said)
}
