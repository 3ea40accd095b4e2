package source_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/source"
	"projection.sh/operator/test/env"
)

func account(name string) impersonate.User {
	return impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "tenant", Name: name})
}

// namedReader returns a reader as the operator makes it, and in whose names it has sent how many requests.
func namedReader(t *testing.T) (*source.Reader, func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	sent := map[string]int{}
	config := env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == http.MethodGet {
			mu.Lock()
			sent[request.Header.Get("Impersonate-User")]++
			mu.Unlock()
		}
		return next.RoundTrip(request)
	})
	shared, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	named, err := impersonate.NewClient(config, shared)
	require.NoError(t, err)
	content, err := dynamic.NewForConfigAndClient(config, named)
	require.NoError(t, err)
	return source.NewReader(content, metadata.NewForConfigOrDie(config)), func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		taken := sent
		sent = map[string]int{}
		return taken
	}
}

// TestReadsAreSharedUnderOneUserOnly has the operator read a version, which it keeps, and accounts without rights ask for the same one, alone
// and at a time.
func TestReadsAreSharedUnderOneUserOnly(t *testing.T) {
	at := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, at, "red")
	r, sent := namedReader(t)
	for range 2 {
		read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, at, written.GetResourceVersion())
		require.NoError(t, err)
		assert.Equal(t, written, read)
	}
	assert.Equal(t, map[string]int{"": 1}, sent())

	var readers sync.WaitGroup
	for _, name := range []string{"one", "another"} {
		for range 5 {
			readers.Go(func() {
				object, err := r.ReadShared(t.Context(), account(name), configMap, at, written.GetResourceVersion())
				assert.True(t, apierrors.IsForbidden(err), "%v", err)
				assert.Nil(t, object)
			})
		}
	}
	readers.Wait()
	asked := sent()
	assert.Len(t, asked, 2)
	assert.NotContains(t, asked, "", "no content is read in the name of the operator")

	read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, at, written.GetResourceVersion())
	require.NoError(t, err)
	assert.Equal(t, written, read)
	assert.Empty(t, sent())
}

func TestMetadataHasNoContent(t *testing.T) {
	at := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, at, "red")
	r, sent := namedReader(t)
	read, err := r.ReadMetadata(t.Context(), configMap, at)
	require.NoError(t, err)
	assert.Equal(t, "ConfigMap", read.GetKind())
	assert.Equal(t, written.GetUID(), read.GetUID())
	assert.Equal(t, written.GetResourceVersion(), read.GetResourceVersion())
	assert.NotContains(t, read.Object, "data")
	assert.Equal(t, map[string]int{"": 1}, sent())

	at.Name = "none"
	_, err = r.ReadMetadata(t.Context(), configMap, at)
	assert.ErrorIs(t, err, source.ErrNotFound)
}
