package editors_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/internal/filltest"
)

// TestWhatTheCallerGivesIsCopied calls every method of every editor, then writes all over the arguments.
func TestWhatTheCallerGivesIsCopied(t *testing.T) {
	for _, editor := range (&everySpec{}).editors() {
		value := reflect.ValueOf(editor)
		for i := range value.NumMethod() {
			name := value.Type().Method(i).Name
			if strings.HasPrefix(name, "Raw") {
				continue
			}
			t.Run(value.Elem().Type().Name()+"."+name, func(t *testing.T) {
				arguments := filltest.Arguments(value.Method(i), "a")
				filltest.Call(value.Method(i), arguments)
				before := contentOf(t, value)
				for _, argument := range arguments {
					filltest.Scramble(argument)
				}
				assert.JSONEq(t, before, contentOf(t, value))
			})
		}
	}
}

// contentOf returns what all methods Raw of the editor return.
func contentOf(t *testing.T, editor reflect.Value) string {
	t.Helper()
	content := map[string]any{}
	for i := range editor.NumMethod() {
		if name := editor.Type().Method(i).Name; strings.HasPrefix(name, "Raw") {
			content[name] = editor.Method(i).Call(nil)[0].Interface()
		}
	}
	encoded, err := json.Marshal(content)
	require.NoError(t, err)
	return string(encoded)
}
