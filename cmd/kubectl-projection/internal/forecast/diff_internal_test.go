package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

func TestDifference(t *testing.T) {
	rule := access.Rule{Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "base"}}
	object := func(kind string, data map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "data": data}}
	}
	applied := func(of *unstructured.Unstructured, fields string) *unstructured.Unstructured {
		of.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: rule.FieldManager(), Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fields),
		}})
		of.SetAnnotations(map[string]string{v1.AnnotationContentHash: "hash", "kubectl.kubernetes.io/last-applied-configuration": "never printed"})
		return of
	}
	tests := map[string]struct {
		secret        bool
		before, after *unstructured.Unstructured
		diff          string
	}{
		"a new copy": {
			before: &unstructured.Unstructured{}, after: object("ConfigMap", map[string]any{"a": "1"}),
			diff: "@@ -0,0 +1,4 @@\n+apiVersion: v1\n+data:\n+  a: \"1\"\n+kind: ConfigMap\n",
		},
		"a changed field": {
			before: object("ConfigMap", map[string]any{"a": "1"}), after: object("ConfigMap", map[string]any{"a": "2"}),
			diff: "@@ -1,4 +1,4 @@\n apiVersion: v1\n data:\n-  a: \"1\"\n+  a: \"2\"\n kind: ConfigMap\n",
		},
		"a field that the rule sets no more": {
			before: applied(object("ConfigMap", map[string]any{"a": "1", "b": "2"}), `{"f:data":{"f:a":{},"f:b":{}},"f:metadata":{"f:annotations":{}}}`),
			after:  object("ConfigMap", map[string]any{"a": "1"}),
			diff:   "@@ -1,7 +1,4 @@\n apiVersion: v1\n data:\n   a: \"1\"\n-  b: \"2\"\n kind: ConfigMap\n-metadata:\n-  annotations: {}\n",
		},
		"a field of somebody else": {
			before: applied(object("ConfigMap", map[string]any{"a": "1", "b": "2"}), `{"f:data":{"f:a":{}}}`),
			after:  object("ConfigMap", map[string]any{"a": "1"}),
		},
		"a Secret": {
			secret: true,
			before: object("Secret", map[string]any{"same": "never printed", "other": "never printed 1"}),
			after:  object("Secret", map[string]any{"same": "never printed", "other": "never printed 2", "new": "never printed"}),
			diff:   "@@ -1,5 +1,6 @@\n apiVersion: v1\n data:\n-  other: '*** (before)'\n+  new: '***'\n+  other: '*** (after)'\n   same: '***'\n kind: Secret\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wished := &wish{spec: &owner.Spec{}, desired: destination.DesiredCopy{At: types.NamespacedName{Namespace: "web-1", Name: "copy"}}}
			if test.secret {
				wished.spec.Source.Kind = "Secret"
			}
			diff, err := difference(rule, wished, test.before, test.after)
			require.NoError(t, err)
			assert.NotContains(t, diff, "never printed")
			if test.diff != "" {
				test.diff = "---  web-1/copy now\n+++  web-1/copy planned\n" + test.diff
			}
			assert.Equal(t, test.diff, diff)
		})
	}
}
