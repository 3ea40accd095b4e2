package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestFieldsOfAnEarlierStatus(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetManagedFields([]metav1.ManagedFieldsEntry{
		{
			Manager: fieldManager, Operation: metav1.ManagedFieldsOperationApply, Subresource: statusField,
			FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:status":{"f:phase":{},"f:parts":{"f:one":{}}}}`)},
		},
		{Manager: "another", Subresource: statusField, FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:status":{"f:theirs":{}}}`)}},
	})
	both := map[string]any{"phase": "Issued", "parts": map[string]any{"one": int64(1)}, "more": true}
	assert.False(t, ownsMore(object, both))
	assert.True(t, ownsMore(object, map[string]any{"phase": "Issued", "parts": map[string]any{}}))
	assert.True(t, ownsMore(object, map[string]any{"parts": both["parts"]}))
	assert.True(t, ownsMore(object, map[string]any{}))
	assert.False(t, ownsMore(&unstructured.Unstructured{Object: map[string]any{}}, map[string]any{}))
}
