package v1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	v1 "projection.sh/operator/api/v1"
)

func TestDiscoveryListsNamesScopesAndStatus(t *testing.T) {
	served, err := discovery.NewDiscoveryClientForConfigOrDie(cluster.Config).ServerResourcesForGroupVersion("projection.sh/v1")
	require.NoError(t, err)
	found := map[string]metav1.APIResource{}
	for _, resource := range served.APIResources {
		found[resource.Name] = resource
	}
	require.Len(t, found, 4)

	for kind, want := range map[string]struct {
		short, singular string
		namespaced      bool
	}{
		v1.KindProjection:        {short: "proj", singular: "projection", namespaced: true},
		v1.KindClusterProjection: {short: "cproj", singular: "clusterprojection"},
	} {
		resource := found[resources[kind]]
		assert.Equal(t, kind, resource.Kind)
		assert.Equal(t, want.singular, resource.SingularName)
		assert.Equal(t, want.namespaced, resource.Namespaced)
		assert.Equal(t, []string{want.short}, resource.ShortNames)
		assert.Equal(t, []string{"projection-sh"}, resource.Categories)
		assert.Contains(t, found, resources[kind]+"/status")
	}
}
