package scale_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

const (
	targets        = 5000
	foreignObjects = 250 // targets where somebody else's object is in the way
	written        = targets - foreignObjects
)

func TestFanOutOverThousands(t *testing.T) {
	w := newWorld(t)
	all := w.members("all", targets)
	w.each(all[:foreignObjects], func(ctx context.Context, i int) error {
		return w.Client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: all[i], Name: "large"}})
	})
	small := w.source("small")
	w.counts(w.fanOut(small, v1.ClusterProjectionDestination{Namespaces: []string{all[0]}}), 1, 0)
	large := w.source("large")
	rule := w.fanOut(large, v1.ClusterProjectionDestination{
		NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "all"}},
	})

	t.Run("delays no other rule", func(t *testing.T) {
		require.Eventually(t, func() bool { return w.operator.Writes() > 100 }, timeout, time.Millisecond, "the fan-out does not begin")
		edited := w.operator.Writes()
		w.paintBlue(small)
		w.turnsBlue(all[0], "small")
		assert.Less(t, w.operator.Writes()-edited, targets/10, "writes that went before the one of the other rule")
		w.counts(rule, written, foreignObjects)
	})
	t.Run("a namespace that loses the label, and gains it again, costs as much as one", func(t *testing.T) {
		w.requests(func() {})
		requests := w.requests(func() {
			w.label(all[targets-1], "null")
			w.counts(rule, written-1, foreignObjects)
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
		requests = w.requests(func() {
			w.label(all[targets-1], `"all"`)
			w.counts(rule, written, foreignObjects)
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
	})
	t.Run("an edit writes each copy once, and asks nothing about what is in the way", func(t *testing.T) {
		w.requests(func() {})
		requests := w.requests(func() {
			w.paintBlue(large)
			w.turnsBlue(all[targets-1], "large")
		})
		assert.Equal(t, written, count(requests, "patch", "configmaps"))
		assert.Equal(t, 1, count(requests, "get", "configmaps"))
		others := slices.DeleteFunc(requests, func(r env.Request) bool { return r.Verb == "patch" && r.Resource == "configmaps" })
		assert.LessOrEqual(t, len(others), 3, "%v", others)
	})
	t.Run("a deleted copy comes back at the price of one", func(t *testing.T) {
		last := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: all[targets-1], Name: "large"}}
		requests := w.requests(func() {
			require.NoError(t, w.Client.Delete(t.Context(), last))
			w.turnsBlue(last.Namespace, last.Name)
		})
		assert.LessOrEqual(t, len(requests), 3, "%v", requests)
	})
	t.Run("a stranger that goes makes room at the price of one", func(t *testing.T) {
		requests := w.requests(func() {
			require.NoError(t, w.Client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: all[0], Name: "large"}}))
			w.turnsBlue(all[0], "large")
			w.counts(rule, written+1, foreignObjects-1)
		})
		assert.LessOrEqual(t, len(requests), 4, "%v", requests)
	})
	t.Run("a minute in which others write to copies passes without a request", func(t *testing.T) {
		assert.Empty(t, w.requests(func() { w.busyMinute(all[foreignObjects:]) }))
	})
}

// busyMinute lets somebody else write to a copy each second, for a minute.
func (w *world) busyMinute(namespaces []string) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for i := range 60 {
		copied := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespaces[i%10], Name: "large"}}
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"seen":"%[1]d"},"annotations":{"seen-by":"somebody-%[1]d"}}}`, i)
		require.NoError(w.T, w.Client.Patch(w.T.Context(), copied, client.RawPatch("application/merge-patch+json", patch)))
		<-second.C
	}
}
