package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// reporting returns the rule with conditions of these types, all of which have the message.
func reporting(rule *unstructured.Unstructured, message string, types ...string) *unstructured.Unstructured {
	conditions := make([]any, len(types))
	for i, name := range types {
		conditions[i] = map[string]any{
			"type": name, "status": "True", "reason": "Test", "message": message, "lastTransitionTime": "2026-01-02T03:04:05Z",
		}
	}
	reported := rule.DeepCopy()
	reported.SetManagedFields(nil)
	reported.Object["status"] = map[string]any{"conditions": conditions}
	return reported
}

// TestStatusIsUpdatedAndNotApplied holds what the API server does, for which decision 14 keeps updates.
func TestStatusIsUpdatedAndNotApplied(t *testing.T) {
	read := create(t, v1.KindProjection, "updated", `{source: {kind: ConfigMap, namespace: home, name: settings}}`, nil)
	client, options := rules(v1.KindProjection), metav1.UpdateOptions{}
	apply := func(message string) *unstructured.Unstructured {
		desired := reporting(read, message, v1.ConditionReady)
		desired.SetResourceVersion("")
		applied, err := client.ApplyStatus(t.Context(), "updated", desired, metav1.ApplyOptions{FieldManager: "operator", Force: true})
		require.NoError(t, err)
		return applied
	}

	first, err := client.UpdateStatus(t.Context(), reporting(read, "first", v1.ConditionReady, v1.ConditionStalled), options)
	require.NoError(t, err)
	_, err = client.UpdateStatus(t.Context(), reporting(read, "late", v1.ConditionReady), options)
	assert.True(t, apierrors.IsConflict(err), "an update that comes late is refused: %v", err)

	applied := apply("second")
	conditions, _, err := unstructured.NestedSlice(applied.Object, "status", "conditions")
	require.NoError(t, err)
	assert.Len(t, conditions, 2, "a condition that an update has written stays, until its managed fields are migrated")
	late := apply("late")
	assert.NotEqual(t, applied.GetResourceVersion(), late.GetResourceVersion(), "an apply that comes late is accepted")
	assert.Greater(t, managed(t, late), managed(t, first), "bytes of managed fields")
}

// managed returns how many bytes the managed fields have.
func managed(t *testing.T, object *unstructured.Unstructured) int {
	t.Helper()
	encoded, err := json.Marshal(object.GetManagedFields())
	require.NoError(t, err)
	return len(encoded)
}
