package v1_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "projection.sh/operator/api/v1"
)

const listedTargets = `{source: {kind: Secret, namespace: platform, name: ca}, destination: {namespaces: [a]}}`

func TestStatusOfTypedObjectIsKept(t *testing.T) {
	written := v1.ClusterProjectionStatus{
		CommonStatus: v1.CommonStatus{
			ObservedGeneration: 1,
			Conditions: []metav1.Condition{{
				Type: v1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1.ReasonDestinationConflict,
				Message: "b: Secret b/ca is not ours", ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(time.Unix(1770000000, 0)),
			}},
			DestinationName: "ca",
			AppliedFields:   "0123456789abcdef",
		},
		NamespacesWritten: new(int32(2)),
		NamespacesFailed:  new(int32(1)),
		Failures:          []v1.NamespaceFailure{{Namespace: "b", Reason: v1.ReasonDestinationConflict, Message: "Secret b/ca is not ours"}},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&written)
	require.NoError(t, err)

	stored := create(t, v1.KindClusterProjection, "status", listedTargets, content)

	var read v1.ClusterProjection
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, &read))
	assert.Equal(t, written, read.Status)
	assert.Equal(t, int64(1), stored.GetGeneration(), "a status is no new generation")
}

func TestStatusIsAbsentUntilItIsKnown(t *testing.T) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1.ClusterProjection{})
	require.NoError(t, err)
	assert.NotContains(t, content, "status")

	content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(&v1.ClusterProjectionStatus{NamespacesFailed: new(int32(0))})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"namespacesFailed": int64(0)}, content, "a count of nothing is told, one that is unknown is not")
}

func TestStatusIsOutOfReachOfUsers(t *testing.T) {
	object := rule(v1.KindClusterProjection, "out-of-reach", parse(t, listedTargets))
	object.Object["status"] = map[string]any{"destinationName": "forged"}

	created, err := rules(v1.KindClusterProjection).Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})

	require.NoError(t, err)
	assert.Equal(t, map[string]any{"observedGeneration": int64(-1)}, created.Object["status"], "nobody has seen it yet")
}

func TestStatusIsBounded(t *testing.T) {
	stored := create(t, v1.KindClusterProjection, "bounded", listedTargets, nil)
	failure := func(namespace string) any {
		return map[string]any{"namespace": namespace, "reason": "DestinationConflict", "message": "m"}
	}
	var many []any
	for i := range v1.MaxFailures {
		many = append(many, failure(fmt.Sprint("ns-", i)))
	}
	for name, test := range map[string]struct {
		status map[string]any
		want   []string
	}{
		"as many failures as can be": {map[string]any{"failures": many}, nil},
		"one failure too many": {map[string]any{"failures": append(many, failure("ns-x"))},
			[]string{"status.failures: TooMany: Too many: 21: must have at most 20 items"}},
		"namespace that failed twice": {map[string]any{"failures": []any{failure("a"), failure("a")}},
			[]string{"status.failures[1]: Duplicate: Duplicate value"}},
		"negative count":   {map[string]any{"namespacesFailed": int64(-1)}, []string{"status.namespacesFailed: Invalid: should be greater than or equal to 0"}},
		"failure unnamed":  {map[string]any{"failures": []any{map[string]any{"reason": "A"}}}, []string{"status.failures[0].namespace: Required: Required value"}},
		"one-word reasons": {map[string]any{"failures": []any{map[string]any{"namespace": "a", "reason": "not a word"}}}, []string{"status.failures[0].reason: Invalid: <pattern>"}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := stored.DeepCopy()
			changed.Object["status"] = test.status
			_, err := rules(v1.KindClusterProjection).UpdateStatus(t.Context(), changed, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			assert.Equal(t, test.want, causes(t, err))
		})
	}
}
