package mutations_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/mutations"
)

const shop = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: home, labels: {app: shop}}
spec: {replicas: 1, template: {spec: {containers: [{name: web, image: "web:1"}]}}}
`

func set(pairs ...any) (values []mutations.FieldValue) {
	for i := 0; i < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		values = append(values, mutations.FieldValue{Path: path, Value: pairs[i+1]})
	}
	return values
}

func copyOfText(t *testing.T, in mutations.Input, text string) *uns.Unstructured {
	t.Helper()
	copied, err := render(in, &uns.Unstructured{Object: content(t, text)})
	require.NoError(t, err)
	return copied
}

func TestFieldsAreSetInTheirOrder(t *testing.T) {
	in := kind("apps", "Deployment")
	in.Stamp = byProjection
	in.Overlay.Labels = map[string]string{"app": "overlay"}
	in.Values = set("spec.replicas", int64(3), "spec.template.spec.containers[name=web].image", "web:2", `metadata.labels["app"]`, "set",
		`metadata.annotations["example.com/note"]`, "n", "spec.strategy", map[string]any{"type": "Recreate"}, "spec.strategy.type", "RollingUpdate")
	copied := copyOfText(t, in, shop)
	spec, _ := copied.Object["spec"].(map[string]any)
	assert.Equal(t, map[string]any{
		"replicas": int64(3), "strategy": map[string]any{"type": "RollingUpdate"},
		"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "web", "image": "web:2"}}}},
	}, spec, "the later one of two paths wins")
	assert.Equal(t, "set", copied.GetLabels()["app"], "after the overlay")
	assert.Equal(t, "n", copied.GetAnnotations()["example.com/note"])

	again := in
	again.Values = nil
	assert.NotEqual(t, mutations.ContentHash(copyOfText(t, again, shop)), mutations.ContentHash(copied), "values are content")
}

func TestPathsThatCannotBeSet(t *testing.T) {
	for path, message := range map[string]string{
		"apiVersion":                         "apiVersion is not among the fields that can be set",
		"kind":                               "kind is not among the fields that can be set",
		"status.replicas":                    "status.replicas is not among the fields that can be set",
		"metadata":                           "of metadata, these are single labels and annotations",
		"metadata.name":                      "of metadata, these are single labels and annotations",
		"metadata.labels":                    "of metadata, these are single labels and annotations",
		"metadata.labels[*]":                 "of metadata, these are single labels and annotations",
		"metadata.labels.a.b":                "of metadata, these are single labels and annotations",
		"metadata.finalizers":                "of metadata, these are single labels and annotations",
		"metadata.ownerReferences[*].uid":    "of metadata, these are single labels and annotations",
		`metadata.labels["projection.sh/x"]`: "belongs to the operator",
		`metadata["annotations"]["projection.sh/projectable"]`: "belongs to the operator",
		"spec[0]": "is not the path of a field",
	} {
		err := mutations.CheckPath(path)
		var refused *mutations.InputError
		require.ErrorAs(t, err, &refused, path)
		assert.Contains(t, err.Error(), message)
		in := kind("apps", "Deployment")
		in.Values = set(path, "x")
		require.ErrorAs(t, mutations.CheckValues(in, map[string]any{}, in.Values), &refused)
	}
	for _, path := range []string{"metadata.labels.team", `metadata["labels"]["example.com/a"]`, "data", "metadatas.name", "spec.status", "spec.metadata.name"} {
		require.NoError(t, mutations.CheckPath(path))
	}
}

// A value that the API server would refuse in a label or an annotation is told before any request. No message quotes a value.
func TestValuesOfLabelsAndAnnotations(t *testing.T) {
	for name, value := range map[string]mutations.FieldValue{
		"a label that is too long":        {Path: "metadata.labels.a", Value: strings.Repeat("c4n4ry", 20)},
		"a label with a blank":            {Path: "metadata.labels.a", Value: "c4n4ry blank"},
		"a label that is a number":        {Path: "metadata.labels.a", Value: int64(1)},
		"an annotation that is a map":     {Path: "metadata.annotations.a", Value: map[string]any{"c4n4ry": "c4n4ry"}},
		"a key that is none":              {Path: `metadata.labels["a b"]`, Value: "a"},
		"a key of an annotation, as well": {Path: `metadata.annotations["/"]`, Value: "a"},
	} {
		err := mutations.CheckValues(kind("", "ConfigMap"), map[string]any{}, []mutations.FieldValue{value})
		var refused *mutations.SourceError
		require.ErrorAs(t, err, &refused, name)
		assert.NotContains(t, err.Error(), "c4n4ry")
	}
	require.NoError(t, mutations.CheckValues(kind("", "ConfigMap"), map[string]any{}, set("metadata.labels.a", "", "metadata.annotations.A", "any text\n")))
}

func TestNoValueMakesACredential(t *testing.T) {
	const secret = `{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: home}, type: Opaque, data: {a: eA==}}`
	for _, secretType := range []string{"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token"} {
		in := kind("", "Secret")
		in.Stamp, in.Values = byProjection, set("type", secretType)
		err := mutations.CheckValues(in, map[string]any{"kind": "Secret", "type": "Opaque"}, in.Values)
		var refused *mutations.SourceError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, "is a credential of its namespace, and is never copied")
		_, err = render(in, &uns.Unstructured{Object: content(t, secret)})
		require.ErrorAs(t, err, &refused)
	}
	require.NoError(t, mutations.CheckValues(kind("", "ConfigMap"), map[string]any{}, set("type", "bootstrap.kubernetes.io/token")))
}

func TestHashOfATarget(t *testing.T) {
	hash := func(template string, values []mutations.FieldValue) string {
		text, err := mutations.TargetHash(template, values)
		require.NoError(t, err)
		require.Len(t, text, 32)
		return text
	}
	base := hash("t", set("a", "x", "b", int64(1)))
	assert.Equal(t, base, hash("t", set("a", "x", "b", int64(1))))
	for _, other := range []string{
		hash("u", set("a", "x", "b", int64(1))), hash("t", set("a", "x", "b", "1")), hash("t", set("b", int64(1), "a", "x")), hash("t", set("a", "x")), hash("t", nil),
	} {
		assert.NotEqual(t, base, other)
	}
}
