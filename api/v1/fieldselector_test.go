package v1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
)

func TestFieldSelectorsFindTheRulesOfASource(t *testing.T) {
	for kind := range resources {
		destination := map[string]string{v1.KindClusterProjection: ", destination: {namespaces: [a]}"}[kind]
		create(t, kind, "one", `{source: {kind: ConfigMap, namespace: platform, name: x}`+destination+`}`, nil)
		create(t, kind, "two", `{source: {kind: Secret, namespace: platform, name: x}`+destination+`}`, nil)
		create(t, kind, "three", `{source: {kind: Secret, namespace: security, name: other}`+destination+`}`, nil)

		for selector, want := range map[string][]string{
			"spec.source.kind=Secret":                                  {"three", "two"},
			"spec.source.kind!=Secret":                                 {"one"},
			"spec.source.namespace=platform":                           {"one", "two"},
			"spec.source.name=other":                                   {"three"},
			"spec.source.kind=Secret,spec.source.name=x":               {"two"},
			"spec.source.name=z":                                       nil,
			"metadata.name=one,spec.source.namespace=platform":         {"one"},
			"spec.source.kind=ConfigMap,spec.source.namespace=unknown": nil,
		} {
			t.Run(kind+"/"+selector, func(t *testing.T) {
				assert.Equal(t, want, selected(t, kind, selector))
			})
		}
	}
}

// selected returns the names of the rules in all namespaces that the selector finds.
func selected(t *testing.T, kind, selector string) []string {
	t.Helper()
	list, err := dynamic.NewForConfigOrDie(cluster.Config).Resource(v1.GroupVersion.WithResource(resources[kind])).
		List(t.Context(), metav1.ListOptions{FieldSelector: selector})
	require.NoError(t, err)
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].GetName())
	}
	return names
}
