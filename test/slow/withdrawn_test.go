package slow_test

import (
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
	fanOut = 120
	// started is how many copies there are before something is withdrawn.
	started = 20
	// fanOutDelay is how long the webhook keeps each request of a fan-out, of which 16 are fast at a time and 16 slow: the fan-out takes 12 s.
	fanOutDelay = 3 * time.Second
	// tooLate is when no copy may be created any more after what wanted it was withdrawn.
	tooLate = 5 * time.Second
)

// TestNothingIsCreatedThatIsNotWantedAnyMore withdraws in the middle of a fan-out what the fan-out is made from.
func TestNothingIsCreatedThatIsNotWantedAnyMore(t *testing.T) {
	tests := map[string]func(w *world, source client.Object, rule *v1.ClusterProjection){
		"the source is vetoed": func(w *world, source client.Object, _ *v1.ClusterProjection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		},
		"the source is deleted": func(w *world, source client.Object, _ *v1.ClusterProjection) { w.Delete(source) },
		"the rule is deleted":   func(w *world, _ client.Object, rule *v1.ClusterProjection) { w.Delete(rule) },
		"the rule selects others": func(w *world, _ client.Object, rule *v1.ClusterProjection) {
			w.Merge(rule, `{"spec":{"destination":{"namespaceSelector":{"matchLabels":{"world":"none"}}}}}`)
		},
		"the source permits no other namespace": func(w *world, source client.Object, _ *v1.ClusterProjection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: world=none"}}}`)
		},
		"the namespaces lose the label by which the source permits them": func(w *world, _ client.Object, _ *v1.ClusterProjection) {
			for name := range w.others {
				w.Merge(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, `{"metadata":{"labels":{"permitted":null}}}`)
			}
		},
		"the namespaces lose their label": func(w *world, _ client.Object, _ *v1.ClusterProjection) {
			for name := range w.others {
				w.Merge(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, `{"metadata":{"labels":{"world":null}}}`)
			}
		},
	}
	for name, withdraw := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for range fanOut {
				w.namespace(true)
			}
			hook := w.slowWebhook(fanOutDelay, "CREATE")
			source, before := w.source("shared"), mark(t)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: permitted=`+w.id+`"}}}`)
			rule := &v1.ClusterProjection{
				ObjectMeta: metav1.ObjectMeta{Name: w.id},
				Spec: v1.ClusterProjectionSpec{
					Source: v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "shared"},
					Destination: v1.ClusterProjectionDestination{
						NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"slow": w.id, "world": w.id}},
					},
				},
			}
			require.NoError(t, w.Client.Create(t.Context(), rule))
			t.Cleanup(func() { w.Delete(rule) })
			require.Eventually(t, func() bool { return len(w.copies("shared")) >= started }, timeout, env.Interval)

			withdraw(w, source, rule)
			withdrawn := time.Now()
			require.Eventually(t, func() bool {
				return hook.quiet() && len(w.copies("shared")) == 0 && len(requests(t, before, "delete")) >= started
			}, timeout, env.Interval)

			created := requests(t, before, "patch")
			assert.Less(t, len(created), fanOut, "it was withdrawn before all copies were there")
			for _, request := range created {
				assert.Less(t, request.Received.Sub(withdrawn), tooLate, request)
			}
		})
	}
}
