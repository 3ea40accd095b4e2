package slow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestNoRequestFollowsASuspension suspends a rule while the webhook keeps requests for its copies, and more of them wait.
func TestNoRequestFollowsASuspension(t *testing.T) {
	tests := map[string]struct {
		operation, verb string
		// begin has the operator make the requests.
		begin func(w *world, source client.Object, rule *v1.ClusterProjection)
		// counts reports whether the rule says that so many copies are left.
		counts func(rule *v1.ClusterProjection, left int) bool
	}{
		"copies are created": {
			"CREATE", "patch", func(w *world, _ client.Object, rule *v1.ClusterProjection) {
				w.Merge(rule, `{"spec":{"suspend":false}}`)
			}, func(rule *v1.ClusterProjection, left int) bool {
				return int(*rule.Status.NamespacesWritten) == left && int(*rule.Status.NamespacesHeld) == fanOut-left
			},
		},
		"copies are deleted": {"DELETE", "delete", func(w *world, source client.Object, rule *v1.ClusterProjection) {
			w.Merge(rule, `{"spec":{"suspend":false}}`)
			w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		}, func(rule *v1.ClusterProjection, left int) bool {
			written := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionDestinationWritten)
			return written.Message == fmt.Sprintf("suspended: would delete %d", left)
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for range fanOut - 1 { // the webhook has one, too
				w.namespace(true)
			}
			hook := w.slowWebhook(fanOutDelay, test.operation)
			source := w.source("shared")
			rule := &v1.ClusterProjection{
				ObjectMeta: metav1.ObjectMeta{Name: w.id},
				Spec: v1.ClusterProjectionSpec{
					Source:  v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "shared"},
					Suspend: true,
					Destination: v1.ClusterProjectionDestination{
						NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"slow": w.id, "world": w.id}},
					},
				},
			}
			require.NoError(t, w.Client.Create(t.Context(), rule))
			t.Cleanup(func() {
				hook.remove()
				w.Delete(rule)
				w.Gone(rule)
			})
			w.Eventually(rule, func() bool {
				return w.ready(rule).Message == "suspended: would create 120; none is in sync"
			}, "the rule plans no copy in every namespace")
			before := mark(t)
			test.begin(w, source, rule)
			require.Eventually(t, func() bool { return len(requests(t, before, test.verb)) >= started && !hook.quiet() }, timeout, env.Interval)

			w.Merge(rule, `{"spec":{"suspend":true}}`)
			suspended := time.Now()
			w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonSuspended)
			require.Eventually(t, hook.quiet, timeout, env.Interval)

			made := requests(t, before, test.verb)
			if test.verb == "patch" {
				assert.Less(t, len(made), fanOut, "the rule was suspended before all copies were there")
			}
			for _, request := range made {
				assert.Less(t, request.Received.Sub(suspended), tooLate, request)
			}
			left := len(w.copies("shared"))
			assert.Less(t, left, fanOut)
			assert.Positive(t, left)
			w.Eventually(rule, func() bool {
				w.ready(rule)
				return test.counts(rule, left)
			}, "the copies are counted")
		})
	}
}
