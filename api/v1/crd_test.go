package v1_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
)

// definition reads a CustomResourceDefinition back from the API server.
func definition(t *testing.T, kind string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	u, err := dynamic.NewForConfigOrDie(cluster.Config).
		Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")).
		Get(t.Context(), resources[kind]+".projection.sh", metav1.GetOptions{})
	require.NoError(t, err)
	crd := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, crd))
	require.Len(t, crd.Spec.Versions, 1)
	return crd
}

// walk visits the schema of every field below the one given, with its path; an item of a list is "[]", a value of a map "{}".
func walk(path string, schema *apiextensionsv1.JSONSchemaProps, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	visit(path, schema)
	for name := range schema.Properties {
		property := schema.Properties[name]
		walk(path+"."+name, &property, visit)
	}
	if schema.Items != nil {
		walk(path+"[]", schema.Items.Schema, visit)
	}
	if schema.AdditionalProperties != nil {
		walk(path+"{}", schema.AdditionalProperties.Schema, visit)
	}
}
