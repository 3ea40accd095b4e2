package source_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

// wanted are kinds that are served, and kinds that are not.
var wanted = map[string]v1.SourceRef{
	"served":          {Group: "apps", Kind: "Deployment"},
	"served in core":  {Kind: "ConfigMap"},
	"pinned":          {Group: "apps", Version: "v1", Kind: "Deployment"},
	"unknown kind":    {Group: "apps", Kind: "Deploiment"},
	"unknown version": {Group: "apps", Version: "v9", Kind: "Deployment"},
	"unknown group":   {Group: "nobody.example.com", Kind: "Widget"},
}

func TestNothingIsRefusedWhileDiscoveryFails(t *testing.T) {
	paths := map[string]func(*http.Request) bool{
		"everything": func(*http.Request) bool { return true },
		"groups":     func(r *http.Request) bool { return r.URL.Path == "/apis" },
		"core":       func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api") },
		"core only":  func(r *http.Request) bool { return r.URL.Path == "/api" },
	}
	for path, where := range paths {
		for _, code := range []int{401, 403, 404, 429, 500, 503, 504} {
			t.Run(path+"/"+strconv.Itoa(code), func(t *testing.T) {
				for name, ref := range wanted {
					resolver := newResolver(t, answering(cluster.Config, code, where))
					for range 2 {
						_, err := resolver.Resolve(t.Context(), ref)
						require.Error(t, err, name)
						assert.False(t, source.IsKindError(err), "%s: %v", name, err)
						assert.False(t, source.IsNotServed(err), "%s: %v", name, err)
					}
					served, err := resolver.ServedKinds(t.Context(), []schema.GroupKind{ref.GroupKind()})
					require.Error(t, err, name)
					assert.Empty(t, served, name)
				}
			})
		}
	}
}

func TestWhatIsRememberedDoesNotMakeAKindMissing(t *testing.T) {
	var down atomic.Bool
	resolver := newResolver(t, answering(cluster.Config, http.StatusServiceUnavailable, func(*http.Request) bool { return down.Load() }))
	_, err := resolver.Resolve(t.Context(), v1.SourceRef{Kind: "ConfigMap"})
	require.NoError(t, err)

	down.Store(true)
	kind, err := resolver.Resolve(t.Context(), v1.SourceRef{Kind: "ConfigMap"})
	require.NoError(t, err, "what is known stays known")
	assert.Equal(t, "configmaps", kind.Resource)
	require.Eventually(t, func() bool {
		_, err = resolver.Resolve(t.Context(), v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"})
		return err != nil && !source.IsKindError(err)
	}, soon, tick, "an answer that is some seconds old is no proof: %v", err)

	down.Store(false)
	_, err = resolver.Resolve(t.Context(), v1.SourceRef{Kind: "ConfigMap"})
	require.NoError(t, err, "discovery is asked again")
	_, err = resolver.Resolve(t.Context(), v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"})
	assert.True(t, source.IsNotServed(err), "%v", err)
}

func TestEndOfTheContextProvesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newResolver(t, cluster.Config).Resolve(ctx, v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, source.IsKindError(err))
}

// An extension API server that does not answer says nothing of the kinds that it serves.
func TestUnreachableExtensionProvesNothing(t *testing.T) {
	alone, mixed := newGroup(), newGroup()
	define(t, mixed, "Gadget", "v1beta1")
	register(t, schema.GroupVersion{Group: alone, Version: "v1"})
	register(t, schema.GroupVersion{Group: mixed, Version: "v1"})
	resolver := newResolver(t, cluster.Config)
	resolves(t, resolver, v1.SourceRef{Group: mixed, Kind: "Gadget"}, "v1beta1")

	refs := map[string]v1.SourceRef{
		"alone":         {Group: alone, Kind: "Widget"},
		"alone, pinned": {Group: alone, Version: "v1", Kind: "Widget"},
		"beside others": {Group: mixed, Kind: "Widget"},
	}
	for name, ref := range refs {
		t.Run(name, func(t *testing.T) {
			// It takes a moment until discovery lists what was registered.
			require.Eventually(t, func() bool {
				resolver.DefinitionsChanged("")
				_, err := resolver.Resolve(t.Context(), ref)
				return err != nil && !source.IsNotServed(err)
			}, soon, tick)
			_, err := resolver.Resolve(t.Context(), ref)
			assert.False(t, source.IsKindError(err), "%v", err)
		})
	}
}

// register announces an extension API server that does not exist.
func register(t *testing.T, version schema.GroupVersion) {
	t.Helper()
	services := dynamic.NewForConfigOrDie(cluster.Config).
		Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
	service := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": version.Version + "." + version.Group},
		"spec": map[string]any{
			"group": version.Group, "version": version.Version, "groupPriorityMinimum": int64(1000), "versionPriority": int64(100),
			"insecureSkipTLSVerify": true, "service": map[string]any{"namespace": "default", "name": "nobody"},
		},
	}}
	_, err := services.Create(t.Context(), service, metav1.CreateOptions{})
	require.NoError(t, err)
}
