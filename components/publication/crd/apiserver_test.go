package crd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	definitionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"projection.sh/operator/components/publication/crd"
	"projection.sh/operator/test/env"
)

func TestAPIServersServeWhatIsProjected(t *testing.T) {
	cluster, err := env.Start()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Stop()) })
	definitions := apiextensions.NewForConfigOrDie(cluster.Config).ApiextensionsV1().CustomResourceDefinitions()
	for name, offer := range offers {
		projected, err := crd.Project(read(t, offer.service), offer.projection)
		require.NoError(t, err)
		_, err = definitions.Create(t.Context(), projected, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
		require.NoError(t, err, name)
	}
	projected, err := crd.Project(read(t, "certificates"), offers["hidden"].projection)
	require.NoError(t, err)
	define(t, definitions, projected)

	objects := dynamic.NewForConfigOrDie(cluster.Config).
		Resource(schema.GroupVersionResource{Group: projected.Spec.Group, Version: "v1", Resource: projected.Spec.Names.Plural}).Namespace("default")
	strictly := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	object := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": projected.Spec.Group + "/v1", "kind": "Certificate", "metadata": map[string]any{"name": "www"}, "spec": spec,
		}}
	}
	_, err = objects.Create(t.Context(), object(map[string]any{"secretName": "tls"}), strictly)
	require.ErrorContains(t, err, "a name is needed", "a rule that names no hidden field")
	_, err = objects.Create(t.Context(), object(map[string]any{"secretName": "tls", "dnsNames": []any{"a"}, "issuerRef": map[string]any{"name": "x"}}), strictly)
	require.ErrorContains(t, err, `unknown field "spec.issuerRef"`)
	created, err := objects.Create(t.Context(), object(map[string]any{"secretName": "tls", "hosts": []any{map[string]any{"name": "www"}}}), strictly)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"secretName": "tls", "hosts": []any{map[string]any{"name": "www"}}}, created.Object["spec"])
}

// define creates the definition, and waits until its objects are served.
func define(t *testing.T, definitions definitionsclient.CustomResourceDefinitionInterface, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	_, err := definitions.Create(t.Context(), definition, metav1.CreateOptions{})
	require.NoError(t, err)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found, err := definitions.Get(t.Context(), definition.Name, metav1.GetOptions{})
		require.NoError(c, err)
		require.True(c, established(found))
	}, env.Timeout, env.Interval)
}

func established(definition *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range definition.Status.Conditions {
		if condition.Type == apiextensionsv1.Established {
			return condition.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}
