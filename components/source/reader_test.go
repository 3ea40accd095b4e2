package source_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/source"
	"projection.sh/operator/test/env"
)

var configMap = source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}

func reader(config *rest.Config) *source.Reader {
	return source.NewReader(dynamic.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config))
}

// write creates the source, or changes it, and returns it as it is then.
func write(t *testing.T, ref v1.SourceRef, color string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": ref.Name, "namespace": ref.Namespace},
		"data":     map[string]any{"color": color},
	}}
	written, err := dynamic.NewForConfigOrDie(cluster.Config).Resource(configMap.GroupVersionResource()).Namespace(ref.Namespace).
		Apply(t.Context(), ref.Name, object, metav1.ApplyOptions{FieldManager: "test"})
	require.NoError(t, err)
	return written
}

func TestReadReturnsTheWholeObject(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, ref, "red")
	read, err := reader(cluster.Config).Read(t.Context(), impersonate.Operator(), configMap, ref, "")
	require.NoError(t, err)
	assert.Equal(t, written, read)
}

func TestReadIsAtLeastAsNewAsAsked(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	first := write(t, ref, "red")
	second := write(t, ref, "blue")
	beyond, err := strconv.ParseInt(second.GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	versions := map[string]string{
		"the newest": "",
		"the last":   second.GetResourceVersion(),
		"one that this API server has not seen yet": strconv.FormatInt(beyond+1_000_000, 10),
	}
	for name, version := range versions {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			var asked []string
			config := env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
				asked = append(asked, request.URL.Query().Get("resourceVersion"))
				return next.RoundTrip(request)
			})
			read, err := reader(config).Read(t.Context(), impersonate.Operator(), configMap, ref, version)
			require.NoError(t, err)
			assert.Equal(t, second, read)
			assert.Equal(t, version, asked[0], "an API server that is behind must not answer from its cache")
			assert.Less(t, time.Since(begun), 10*time.Second, "a version that is long in coming holds nobody up")
		})
	}
	t.Run("an old one", func(t *testing.T) {
		for _, version := range []string{"1", first.GetResourceVersion()} {
			read, err := reader(cluster.Config).Read(t.Context(), impersonate.Operator(), configMap, ref, version)
			require.NoError(t, err)
			assert.Contains(t, []string{first.GetResourceVersion(), second.GetResourceVersion()}, read.GetResourceVersion())
		}
	})
}

func TestGone(t *testing.T) {
	here := newNamespace(t)
	deleted := v1.SourceRef{Kind: "ConfigMap", Namespace: here, Name: "deleted"}
	write(t, deleted, "red")
	configMaps := dynamic.NewForConfigOrDie(cluster.Config).Resource(configMap.GroupVersionResource())
	require.NoError(t, configMaps.Namespace(here).Delete(t.Context(), "deleted", metav1.DeleteOptions{}))
	tests := map[string]struct {
		ref     v1.SourceRef
		version string
	}{
		"never there":         {v1.SourceRef{Kind: "ConfigMap", Namespace: here, Name: "never"}, ""},
		"no such namespace":   {v1.SourceRef{Kind: "ConfigMap", Namespace: "nowhere", Name: "settings"}, ""},
		"named as its place":  {v1.SourceRef{Kind: "ConfigMap", Namespace: "nowhere", Name: "nowhere"}, ""},
		"deleted":             {deleted, ""},
		"not seen, not there": {deleted, "9000000000"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object, err := reader(cluster.Config).Read(t.Context(), impersonate.Operator(), configMap, test.ref, test.version)
			require.ErrorIs(t, err, source.ErrNotFound)
			assert.Nil(t, object)
		})
	}
}

func TestWhatIsNotServedIsNotGone(t *testing.T) {
	kinds := map[string]source.Kind{
		"no such kind":    {GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Widget"}, Resource: "widgets"},
		"no such group":   {GroupVersionKind: schema.GroupVersionKind{Group: "nobody.example.com", Version: "v1", Kind: "Widget"}, Resource: "widgets"},
		"no such version": {GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v9", Kind: "Deployment"}, Resource: "deployments"},
	}
	ref := v1.SourceRef{Namespace: newNamespace(t), Name: "settings"}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			_, err := reader(cluster.Config).Read(t.Context(), impersonate.Operator(), kind, ref, "")
			require.Error(t, err)
			require.NotErrorIs(t, err, source.ErrNotFound)
		})
	}
}

func TestSourceWhoseDefinitionGoesIsNotGone(t *testing.T) {
	group := newGroup()
	definition := define(t, group, "Widget", "v1")
	kind := resolves(t, newResolver(t, cluster.Config), v1.SourceRef{Group: group, Kind: "Widget"}, "v1")
	ref := v1.SourceRef{Group: group, Kind: "Widget", Namespace: newNamespace(t), Name: "it"}
	require.NoError(t, definitions().Delete(t.Context(), definition.Name, metav1.DeleteOptions{}))

	var last error
	require.Eventually(t, func() bool {
		_, last = reader(cluster.Config).Read(t.Context(), impersonate.Operator(), kind, ref, "")
		return last != nil && !apierrors.IsTooManyRequests(last) && last != source.ErrNotFound //nolint:errorlint // exactly this one
	}, soon, tick)
	assert.NotErrorIs(t, last, source.ErrNotFound)
}

func TestForbiddenSourceIsNotGone(t *testing.T) {
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	_, err = reader(nobody).Read(t.Context(), impersonate.Operator(), configMap, ref, "")
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.NotErrorIs(t, err, source.ErrNotFound)
}

func TestFailureIsNotGone(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	always := func(*http.Request) bool { return true }
	for _, code := range []int{401, 403, 404, 408, 410, 429, 500, 502, 503, 504} {
		for _, version := range []string{"", "1"} {
			t.Run(strconv.Itoa(code)+"/"+version, func(t *testing.T) {
				_, err := reader(answering(cluster.Config, code, always)).Read(t.Context(), impersonate.Operator(), configMap, ref, version)
				require.Error(t, err)
				assert.NotErrorIs(t, err, source.ErrNotFound)
			})
		}
	}
	t.Run("no answer", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := reader(cluster.Config).Read(ctx, impersonate.Operator(), configMap, ref, "")
		require.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, source.ErrNotFound)
	})
}
