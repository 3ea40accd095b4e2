package roundtrip_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// served is a namespaced resource in one of its versions. Subresources (pods/eviction, serviceaccounts/token, ...) are
// none: they are parts of objects, or requests.
type served struct {
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
}

// requests are what is posted to get an answer, and not kept: there is no object to copy.
var requests = map[string]string{
	"bindings":                  "binds a Pod to a node",
	"localsubjectaccessreviews": "asks what somebody may do",
}

// discover lists what is served, and the version of the server.
func discover(t *testing.T, config *rest.Config) ([]served, string) {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	version, err := client.ServerVersion()
	require.NoError(t, err)
	_, lists, err := client.ServerGroupsAndResources()
	require.NoError(t, err)
	var found []served
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		for _, resource := range list.APIResources {
			if resource.Namespaced && !strings.Contains(resource.Name, "/") && kept(t, resource) {
				found = append(found, served{version.WithResource(resource.Name), version.WithKind(resource.Kind)})
			}
		}
	}
	return found, version.GitVersion
}

func kept(t *testing.T, resource metav1.APIResource) bool {
	t.Helper()
	if slices.Contains(resource.Verbs, "create") && slices.Contains(resource.Verbs, "patch") {
		return true
	}
	require.Contains(t, requests, resource.Name,
		"%s can be listed but not copied; if nothing is kept there, say why in served_test.go", resource.Name)
	return false
}
