package property_test

import (
	"context"
	"maps"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// changeDefinition lets the API server serve the custom resource in another version, too, or no longer. The preferred version stays.
func (d *driver) changeDefinition() {
	definition := &unstructured.Unstructured{}
	definition.SetAPIVersion("apiextensions.k8s.io/v1")
	definition.SetKind("CustomResourceDefinition")
	require.NoError(d.t, d.client.Get(context.Background(), client.ObjectKey{Name: "widgets.example.com"}, definition))
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	require.NoError(d.t, err)
	if len(versions) == 1 {
		another := maps.Clone(versions[0].(map[string]any))
		another["name"], another["storage"] = "v1alpha1", false
		versions = append(versions, another)
	} else {
		versions = versions[:1]
	}
	require.NoError(d.t, unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions"))
	d.did(d.client.Update(context.Background(), definition), "serve Widgets in %d versions", len(versions))
}
