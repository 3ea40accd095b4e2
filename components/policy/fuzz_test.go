package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// FuzzSource asks for consent to project any JSON object: no panic, nothing by default, nothing against a veto, no
// credential, and no words of the object's beyond a bound.
func FuzzSource(f *testing.F) {
	for _, source := range []string{
		`{}`, `{"metadata":null}`, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`,
		`{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`, `{"metadata":{"annotations":{"projection.sh/projectable":true}}}`,
		`{"apiVersion":"v1","kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"annotations":{"projection.sh/projectable":"true"}}}`,
		`{"apiVersion":"v1","kind":"Secret","type":"bootstrap.kubernetes.io/token"}`, `{"apiVersion":"v1","kind":"Secret","type":7}`,
		`{"kind":"Secret","type":"kubernetes.io/service-account-token","metadata":{"annotations":{"projection.sh/projectable":"true"}}}`,
		`{"apiVersion":7,"kind":[],"type":{},"metadata":{"annotations":[]}}`,
	} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var object map[string]any
		if json.Unmarshal(encoded, &object) != nil {
			return
		}
		source := &unstructured.Unstructured{Object: object}
		strict, lax := policy.Allowlist.CheckSource(source), policy.Permissive.CheckSource(source)
		consent := source.GetAnnotations()[v1.AnnotationProjectable]
		kind, _, _ := unstructured.NestedString(object, "type")
		credential := source.GroupVersionKind().Group == "" && source.GetKind() == "Secret" &&
			(kind == "kubernetes.io/service-account-token" || kind == "bootstrap.kubernetes.io/token")

		require.Equal(t, consent == "true" && !credential, strict.IsZero())
		require.Equal(t, consent != "false" && !credential, lax.IsZero())
		for _, verdict := range []policy.Problem{strict, lax} {
			require.Less(t, len(verdict.Sentence()), 300+len(source.GetKind())+len(source.GetNamespace())+len(source.GetName()))
			require.Equal(t, verdict.IsZero(), verdict.Message == "")
		}
	})
}
