package slow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
)

// TestOldCopyStaysUntilTheNewOneIsWritten renames a copy while the namespace is slow. The source is edited meanwhile, so that the rule is
// reconciled again before the first write has ended.
func TestOldCopyStaysUntilTheNewOneIsWritten(t *testing.T) {
	w := newWorld(t)
	namespace := w.namespace(true)
	source := w.source("shared")
	rule := w.projection(namespace, "shared", "old")
	require.Eventually(t, func() bool { return w.copies("old")[namespace] == "red" }, timeout, env.Interval)
	hook := w.slowWebhook(5*time.Second, "CREATE")
	w.Merge(rule, `{"spec":{"destination":{"name":"new"}}}`)
	require.Eventually(t, func() bool { return hook.calls.Load() > 0 }, timeout, env.Interval)
	w.Merge(source, `{"data":{"color":"blue"}}`)

	var renamed corev1.ConfigMap
	require.Eventually(t, func() bool {
		// The old copy is looked at first: if it is gone and there is no new one then, there was none when it went.
		old := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "old"}, &corev1.ConfigMap{})
		err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "new"}, &renamed)
		require.True(t, old == nil || err == nil, "there is neither copy: %v, %v", old, err)
		return apierrors.IsNotFound(old) && err == nil && renamed.Data["color"] == "blue"
	}, timeout, env.Interval)
}
