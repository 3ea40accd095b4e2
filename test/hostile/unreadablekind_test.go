package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env/fixture"
)

// TestRuleEditedToAKindThatCannotBeReadIsDeleted edits rules of ConfigMaps to name a Secret. The operator may not read Secrets.
func TestRuleEditedToAKindThatCannotBeReadIsDeleted(t *testing.T) {
	tests := map[string]func(w *world) owner.Object{
		"Projection": func(w *world) owner.Object {
			rule := w.project(w.Create(configMap), w.served)
			w.Ready(rule)
			w.Merge(rule, `{"spec":{"source":{"kind":"Secret"}}}`)
			return rule
		},
		"ClusterProjection": func(w *world) owner.Object {
			rule := w.fanOut(w.Create(configMap))
			w.Ready(rule)
			w.Merge(rule, `{"spec":{"source":{"kind":"Secret"}}}`)
			return rule
		},
	}
	for name, edited := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.operatorWith(nil, right("", "configmaps", copying))
			rule := edited(w)
			assert.Contains(t, w.says(rule, v1.ReasonSourceFetchFailed), `cannot list resource "secrets"`)
			copied := w.Object(configMap)
			w.Exists(copied, w.Away, "settings", fixture.Anything)

			w.Delete(rule)
			w.Gone(rule)
			_, err := w.Get(copied, w.Away, "settings")
			require.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}

// fanOut creates a ClusterProjection of the source into the namespace away, which the test's own operator serves.
func (w *world) fanOut(source *unstructured.Unstructured) *v1.ClusterProjection {
	w.T.Helper()
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{GenerateName: "rule-", Labels: map[string]string{servedBy: w.Home}}}
	rule.Spec.Source = fixture.RefTo(source)
	rule.Spec.Destination.Namespaces = []string{w.Away}
	require.NoError(w.T, w.Client.Create(w.T.Context(), rule))
	w.dispose(rule)
	return rule
}
