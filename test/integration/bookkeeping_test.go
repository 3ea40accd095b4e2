package integration_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// What the operator notes in a rule is put right, though nothing else happens.
func TestBookkeepingThatSomebodyEditsIsPutRight(t *testing.T) {
	patch := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	status := func(text string) func(*world, *v1.Projection) error {
		return func(w *world, rule *v1.Projection) error {
			return w.Client.Status().Patch(t.Context(), rule, patch(text))
		}
	}
	tests := map[string]struct {
		edit  func(*world, *v1.Projection) error
		right func(*v1.Projection) bool
	}{
		"the status": {
			status(`{"status":{"destinationName":"elsewhere"}}`),
			func(rule *v1.Projection) bool { return rule.Status.DestinationName == "settings" },
		},
		"the conditions": {
			status(`{"status":{"conditions":null}}`),
			func(rule *v1.Projection) bool { return len(rule.Status.Conditions) > 0 },
		},
		"the record of kinds": {
			func(w *world, rule *v1.Projection) error {
				return w.Client.Patch(t.Context(), rule, patch(`{"metadata":{"annotations":{"`+v1.AnnotationWrittenKinds+`":"Secret"}}}`))
			},
			func(rule *v1.Projection) bool { return rule.Annotations[v1.AnnotationWrittenKinds] == "ConfigMap" },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rule := w.Project("settings", w.Apply(configMap))
			w.Ready(rule)
			require.NoError(t, test.edit(w, rule))
			require.False(t, test.right(rule))
			require.Eventually(t, func() bool {
				require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
				return test.right(rule)
			}, env.Timeout, env.Interval)
		})
	}
}
