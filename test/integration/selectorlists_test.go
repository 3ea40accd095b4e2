package integration_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// hook has the function see each request of the operator, and answer it if it returns an answer.
func hook(t *testing.T, f func(*http.Request) *http.Response) {
	t.Helper()
	hooks.set(t, f)
	t.Cleanup(func() { hooks.set(t, nil) })
}

func internalError(request *http.Request) *http.Response {
	return &http.Response{Status: "500 Internal Server Error", StatusCode: http.StatusInternalServerError, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Internal error occurred: unable to transform key","reason":"InternalError","code":500}`))}
}

// A source loses its label after the list, and before it is read in the name of the account.
func TestSelectedLabelLostBetweenListAndRead(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("a", "b")
	var done atomic.Bool
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && r.Header.Get("Impersonate-User") != "" && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps/b") && done.CompareAndSwap(false, true) {
			if err := w.Client.Patch(t.Context(), b.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null},"data":{"color":"private"}}`))); err != nil {
				t.Error(err)
			}
			<-time.After(time.Second) // the answer is late, and the event comes before it
		}
		return nil
	})
	rule := w.selectingAs(asAccount("reader"))
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.Ready(rule)
	require.True(t, done.Load())
	w.settles()
	w.gone(a, w.Away, "b")
}

// One object makes every list fail; the owner of another opts out.
func TestSelectedOptOutWhileListsFail(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	rule := w.selectingAs()
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.settles()
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps") && r.URL.Query().Get("watch") == "" {
			return internalError(r)
		}
		return nil
	})
	w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(a, w.Away, "a")
}

// Name -> selector of the same source, while it does not exist and its copy is kept.
func TestSelectedNameToSelectorKeepsRetainedCopy(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	rule := w.selectingAs(retaining(v1.RetainSourceGone), func(rule *v1.Projection) {})
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.Delete(a)
	w.settles()
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.Merge(rule, `{"spec":{"source":{"selector":null,"name":"a"}}}`)
	w.settles()
	_, err := w.Get(a, w.Away, "a")
	require.NoError(t, err, "kept copy was deleted by selector -> name")
}

// Edit of the selector: sources that stay selected keep their copies without a request; those that leave go.
func TestSelectedEditSelector(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.Merge(b, `{"metadata":{"labels":{"more":"yes"}}}`)
	rule := w.selectingAs()
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
	w.settles()
	before := w.Exists(a, w.Away, "b", fixture.Anything).GetUID()
	w.Merge(rule, `{"spec":{"source":{"selector":{"matchLabels":{"more":"yes"}}}}}`)
	w.gone(a, w.Away, "a")
	require.Equal(t, before, w.Exists(a, w.Away, "b", fixture.Anything).GetUID())
	w.Merge(rule, `{"spec":{"source":{"selector":null,"name":"b"}}}`)
	w.settles()
	require.Equal(t, before, w.Exists(a, w.Away, "b", fixture.Anything).GetUID())
	w.Merge(rule, `{"spec":{"source":{"name":null,"selector":{}}}}`)
	w.settles()
	require.Equal(t, before, w.Exists(a, w.Away, "b", fixture.Anything).GetUID())
	w.Exists(a, w.Away, "a", fixture.Anything)
}
