package integration_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// isColor returns a function that reports whether the data of an object has the color.
func isColor(color string) func(*unstructured.Unstructured) bool {
	return func(o *unstructured.Unstructured) bool { return data(o, "color") == color }
}

// TestListsHavePagesOf50 edits one of so many sources: each page is a request.
func TestListsHavePagesOf50(t *testing.T) {
	w := newWorld(t)
	first := w.shares("s-000")
	rule := w.selectingAs()
	w.Ready(rule)
	sources := 1
	for _, test := range []struct{ sources, pages int }{{50, 1}, {51, 2}, {100, 2}} {
		for ; sources < test.sources; sources++ {
			w.shares(fmt.Sprintf("s-%03d", sources))
		}
		w.sourcesOf(rule, int32(sources))
		w.Exists(first, w.Away, fmt.Sprintf("s-%03d", sources-1), fixture.Anything)
		w.Ready(rule)
		w.settles()
		color := fmt.Sprintf("color-%d", sources)
		requests := w.requestsOf(func() {
			w.Merge(first, `{"data":{"color":"`+color+`"}}`)
			w.Exists(first, w.Away, "s-000", isColor(color))
			w.settles()
		})
		assert.Equal(t, test.pages, count(requests, "list", "configmaps"), "%d sources: %v", sources, requests)
		assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%d sources: %v", sources, requests)
		assert.Zero(t, count(requests, "get", "configmaps"), "%d sources: %v", sources, requests)
	}
}

// expired is the answer of an API server that has forgotten the continuation of a list.
func expired(request *http.Request) *http.Response {
	return &http.Response{
		Status: "410 Gone", StatusCode: http.StatusGone, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
			`"message":"The provided continue parameter is too old","reason":"Expired","code":410}`)),
	}
}

// TestListWhoseContinuationExpiresBeginsAgain has the API server forget the second page once, and then always.
func TestListWhoseContinuationExpiresBeginsAgain(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.shares(fmt.Sprintf("s-%03d", i))
	}
	first := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-000, namespace: $HOME}}`)
	rule := w.selectingAs()
	w.Ready(rule)
	w.settles()
	var left, answered atomic.Int32
	hook(t, func(r *http.Request) *http.Response {
		if isListIn(r, w.Home) && r.URL.Query().Get("continue") != "" && left.Add(-1) >= 0 {
			answered.Add(1)
			return expired(r)
		}
		return nil
	})
	left.Store(1)
	requests := w.requestsOf(func() {
		w.Merge(first, `{"data":{"color":"blue"}}`)
		w.Exists(first, w.Away, "s-000", isColor("blue"))
		w.settles()
	})
	assert.Equal(t, int32(1), answered.Load())
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	w.Ready(rule)

	left.Store(1 << 20)
	w.Merge(first, `{"data":{"color":"green"}}`)
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	_, err := w.Get(first, w.Away, "s-059")
	require.NoError(t, err, "what is not in a list that did not end is not known to be gone")
	left.Store(0)
	w.Exists(first, w.Away, "s-000", isColor("green"))
	w.Ready(rule)
}

// TestOthersFollowWhileOneSourceCannotBeRead has the API server fail for one source, and for each list of content that it is in.
func TestOthersFollowWhileOneSourceCannotBeRead(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	rule := w.selectingAs()
	w.Ready(rule)
	w.settles()
	var fails atomic.Bool
	fails.Store(true)
	hook(t, func(r *http.Request) *http.Response {
		isMetadata := strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
		isRead := isListIn(r, w.Home) || r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps/b")
		if fails.Load() && isRead && !isMetadata {
			return internalError(r)
		}
		return nil
	})
	w.Merge(b, `{"data":{"color":"blue"}}`)
	w.Merge(a, `{"data":{"color":"blue"}}`)
	w.Exists(a, w.Away, "a", isColor("blue"))
	failed := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	assert.Contains(t, failed.Message, "its copies are kept, and those of other sources are written")
	w.Exists(b, w.Away, "b", isColor("red"))
	fails.Store(false)
	w.Exists(b, w.Away, "b", isColor("blue"))
	w.Ready(rule)
}
