package source_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/source"
	"projection.sh/operator/test/env"
)

// countingReader returns a reader, and how many requests it has made.
func countingReader(before func(*http.Request)) (*source.Reader, *atomic.Int32) {
	requests := &atomic.Int32{}
	return reader(env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		requests.Add(1)
		if before != nil {
			before(request)
		}
		return next.RoundTrip(request)
	})), requests
}

func TestSharedReadsOfOneVersionAreOneRequest(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	first := write(t, ref, "red")
	r, requests := countingReader(nil)
	readers := sync.WaitGroup{}
	for range 50 {
		readers.Go(func() {
			read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, first.GetResourceVersion())
			if assert.NoError(t, err) {
				assert.Equal(t, first, read)
				assert.NoError(t, unstructured.SetNestedField(read.Object, "changed", "data", "color"), "each has its own")
			}
		})
	}
	readers.Wait()
	assert.Equal(t, int32(1), requests.Load())

	second := write(t, ref, "blue")
	for _, version := range []string{second.GetResourceVersion(), second.GetResourceVersion()} {
		read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, version)
		require.NoError(t, err)
		assert.Equal(t, second, read)
	}
	assert.Equal(t, int32(2), requests.Load(), "another version is another request")
}

// TestOtherKindsOfTheSameNameAreNotShared has two kinds asked for at a time, with the same name and version.
func TestOtherKindsOfTheSameNameAreNotShared(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, ref, "red")
	began, end := make(chan struct{}, 2), make(chan struct{})
	r, _ := countingReader(func(*http.Request) {
		began <- struct{}{}
		<-end
	})
	secrets := source.Kind{GroupVersionKind: configMap.GroupVersion().WithKind("Secret"), Resource: "secrets"}
	readers := sync.WaitGroup{}
	readers.Go(func() {
		read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, written.GetResourceVersion())
		if assert.NoError(t, err) {
			assert.Equal(t, written, read)
		}
	})
	<-began
	readers.Go(func() {
		_, err := r.ReadShared(t.Context(), impersonate.Operator(), secrets, ref, written.GetResourceVersion())
		assert.ErrorIs(t, err, source.ErrNotFound)
	})
	assert.Eventually(t, func() bool { return len(began) == 1 }, env.Timeout, env.Interval, "the other kind is no request of its own")
	close(end)
	readers.Wait()
}

func TestNewestVersionIsAlwaysARequest(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	r, requests := countingReader(nil)
	for i, color := range []string{"red", "blue", "green"} {
		written := write(t, ref, color)
		for again := range 2 {
			read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, "")
			require.NoError(t, err)
			assert.Equal(t, written, read)
			assert.Equal(t, int32(2*i+again+1), requests.Load())
		}
	}
	last := write(t, ref, "green")
	read, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, last.GetResourceVersion())
	require.NoError(t, err)
	assert.Equal(t, last, read)
	assert.Equal(t, int32(6), requests.Load(), "what was read as the newest serves who asks for that version")
}

func TestSharedSourceThatIsGone(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, ref, "red")
	r, _ := countingReader(nil)
	_, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, written.GetResourceVersion())
	require.NoError(t, err)
	configMaps := dynamic.NewForConfigOrDie(cluster.Config).Resource(configMap.GroupVersionResource())
	require.NoError(t, configMaps.Namespace(ref.Namespace).Delete(t.Context(), ref.Name, metav1.DeleteOptions{}))
	list, err := configMaps.Namespace(ref.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, version := range []string{"", list.GetResourceVersion()} {
		_, err = r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, version)
		require.ErrorIs(t, err, source.ErrNotFound, "an event of a later version was seen")
	}
}

func TestWhoSharesAReadWaitsNoLongerThanItsContext(t *testing.T) {
	ref := v1.SourceRef{Kind: "ConfigMap", Namespace: newNamespace(t), Name: "settings"}
	written := write(t, ref, "red")
	arrived, open := make(chan struct{}), make(chan struct{})
	r, requests := countingReader(func(request *http.Request) {
		close(arrived)
		<-open
	})
	first, cancel := context.WithCancel(t.Context())
	gaveUp, got := make(chan error), make(chan error)
	go func() {
		_, err := r.ReadShared(first, impersonate.Operator(), configMap, ref, written.GetResourceVersion())
		gaveUp <- err
	}()
	<-arrived
	go func() {
		_, err := r.ReadShared(t.Context(), impersonate.Operator(), configMap, ref, written.GetResourceVersion())
		got <- err
	}()
	cancel()
	require.ErrorIs(t, <-gaveUp, context.Canceled)
	short, cancelShort := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancelShort()
	_, err := r.ReadShared(short, impersonate.Operator(), configMap, ref, written.GetResourceVersion())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(open)
	require.NoError(t, <-got, "who began the request has left it to the others")
	assert.Equal(t, int32(1), requests.Load())
}
