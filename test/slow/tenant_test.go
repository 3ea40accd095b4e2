package slow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

const (
	slowRules    = 40
	webhookDelay = 10 * time.Second
	// promptly is how soon another tenant's edit has to arrive. One that waits for the webhook takes longer.
	promptly = webhookDelay / 2
)

// projection returns a rule of the namespace that copies the source at home under the name.
func (w *world) projection(namespace, source, name string) *v1.Projection {
	w.T.Helper()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1.ProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: source},
			Destination: v1.ProjectionDestination{Name: name},
		},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), rule))
	return rule
}

// editsArrive edits the source now and then while the function reports that it still matters, and requires that each edit
// arrives in the namespace promptly.
func (w *world) editsArrive(source, name, namespace string, matters func() bool) {
	w.T.Helper()
	object := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + source + `, namespace: $HOME}}`)
	edits := 0
	for ; edits < 5 || matters(); edits++ {
		color := fmt.Sprint("color-", edits)
		w.Merge(object, `{"data":{"color":"`+color+`"}}`)
		require.Eventuallyf(w.T, func() bool { return w.copies(name)[namespace] == color }, promptly, env.Interval,
			"edit %d does not arrive", edits)
	}
}

// TestTenantBehindASlowWebhookDelaysNoOther has one tenant with more rules than there are workers.
func TestTenantBehindASlowWebhookDelaysNoOther(t *testing.T) {
	w := newWorld(t)
	slow, fast := w.namespace(true), w.namespace(false)
	w.source("slow")
	w.source("fast")
	w.projection(fast, "fast", "fast")
	require.Eventually(t, func() bool { return w.copies("fast")[fast] == "red" }, timeout, env.Interval)
	hook := w.slowWebhook(webhookDelay, "CREATE, UPDATE")

	rules := make([]*v1.Projection, slowRules)
	for i := range rules {
		rules[i] = w.projection(slow, "slow", fmt.Sprintf("slow-%02d", i))
	}
	require.Eventually(t, func() bool { return hook.calls.Load() > 0 }, timeout, env.Interval)
	// Until the first requests have ended, and others have taken their places.
	w.editsArrive("fast", "fast", fast, func() bool { return hook.calls.Load() < 5 })
	assert.LessOrEqual(t, hook.calls.Load(), int32(2*4), "four requests to a namespace at a time")

	waiting := w.ready(rules[slowRules-1])
	assert.Equal(t, v1.ReasonDestinationWriteInProgress, waiting.Reason, "what was not reached is not failed: %s", waiting.Message)
	assert.Equal(t, metav1.ConditionFalse, waiting.Status)

	hook.remove()
	for _, rule := range rules {
		require.Eventually(t, func() bool { return w.ready(rule).Status == metav1.ConditionTrue }, timeout, env.Interval)
	}
}

// TestSlowDeletionsDelayNoOtherTenant has the API server ask a slow webhook about each copy that is deleted.
func TestSlowDeletionsDelayNoOtherTenant(t *testing.T) {
	w := newWorld(t)
	slow, fast := w.namespace(true), w.namespace(false)
	w.source("slow")
	w.source("fast")
	w.projection(fast, "fast", "fast")
	rules := make([]*v1.Projection, slowRules)
	for i := range rules {
		rules[i] = w.projection(slow, "slow", fmt.Sprintf("slow-%02d", i))
	}
	for _, rule := range rules {
		require.Eventually(t, func() bool { return w.ready(rule).Status == metav1.ConditionTrue }, timeout, env.Interval)
	}
	hook := w.slowWebhook(webhookDelay, "DELETE")
	for _, rule := range rules {
		w.Delete(rule)
	}
	require.Eventually(t, func() bool { return hook.calls.Load() > 0 }, timeout, env.Interval)
	w.editsArrive("fast", "fast", fast, func() bool { return hook.calls.Load() < 5 })

	waiting := w.ready(rules[slowRules-1])
	assert.Equal(t, v1.ReasonDestinationWriteInProgress, waiting.Reason, waiting.Message)
	hook.remove()
	for _, rule := range rules {
		w.Gone(rule)
	}
	assert.Empty(t, w.copies("slow-00"), "a rule goes after its copy")
}

// TestSlowNamespaceDelaysNoOtherOfTheSameRule has one slow namespace in a fan-out.
func TestSlowNamespaceDelaysNoOtherOfTheSameRule(t *testing.T) {
	w := newWorld(t)
	slow, fast := w.namespace(true), w.namespace(false)
	hook := w.slowWebhook(webhookDelay, "CREATE, UPDATE")
	w.source("shared")
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: w.id},
		Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "shared"},
			Destination: v1.ClusterProjectionDestination{Namespaces: []string{slow, fast}},
		},
	}
	require.NoError(t, w.Client.Create(t.Context(), rule))
	t.Cleanup(func() { w.Delete(rule) })
	require.Eventually(t, func() bool { return w.copies("shared")[fast] == "red" }, timeout, env.Interval)
	w.editsArrive("shared", "shared", fast, func() bool { return w.copies("shared")[slow] == "" })

	hook.remove()
	require.Eventually(t, func() bool { return w.ready(rule).Status == metav1.ConditionTrue }, timeout, env.Interval)
	copies := w.copies("shared")
	assert.Equal(t, copies[fast], copies[slow])
}

// TestManySlowNamespacesDelayNoOtherOfTheSameRule has more slow namespaces in a fan-out than a rule may write to at a time.
func TestManySlowNamespacesDelayNoOtherOfTheSameRule(t *testing.T) {
	const slowNamespaces = 20
	w := newWorld(t)
	fast := w.namespace(false)
	hook := w.slowWebhook(webhookDelay, "CREATE, UPDATE")
	for range slowNamespaces {
		w.namespace(true)
	}
	w.source("shared")
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: w.id},
		Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "shared"},
			Destination: v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"world": w.id}}},
		},
	}
	rule.Spec.Destination.NamespaceSelector.MatchExpressions = []v1.NamespaceSelectorRequirement{
		{Key: "kubernetes.io/metadata.name", Operator: "NotIn", Values: []v1.LabelValue{w.Home}},
	}
	require.NoError(t, w.Client.Create(t.Context(), rule))
	t.Cleanup(func() { w.Delete(rule) })
	require.Eventually(t, func() bool { return hook.calls.Load() >= slowNamespaces }, timeout, env.Interval, "writes to all slow namespaces are under way")
	require.Eventually(t, func() bool { return w.copies("shared")[fast] == "red" }, timeout, env.Interval)
	w.editsArrive("shared", "shared", fast, func() bool { return false })

	w.Merge(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fast}}, `{"metadata":{"labels":{"world":null}}}`)
	require.Eventually(t, func() bool { _, found := w.copies("shared")[fast]; return !found }, promptly, env.Interval, "the copy goes")
	hook.remove()
	require.Eventually(t, func() bool { return w.ready(rule).Status == metav1.ConditionTrue }, timeout, env.Interval)
}
