package editors_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// TestRawIsWhatIsEdited checks for each editor that Raw returns what the object has, and no copy of it.
func TestRawIsWhatIsEdited(t *testing.T) {
	spec := everySpec{}
	for i, editor := range spec.editors() {
		method := reflect.ValueOf(editor).MethodByName("Raw")
		require.True(t, method.IsValid(), "%T", editor)
		raw := method.Call(nil)[0]
		edited := reflect.ValueOf(&spec).Elem().Field(i)
		switch data := edited.Addr().Interface().(type) {
		case *corev1.ConfigMap:
			edited = reflect.ValueOf(data.Data)
		case *corev1.Secret:
			edited = reflect.ValueOf(data.Data)
		default:
			edited = edited.Addr()
		}
		assert.Equal(t, edited.UnsafePointer(), raw.UnsafePointer(), "%T", editor)
	}
}
