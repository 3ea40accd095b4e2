package integration_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Reads in the name of the account take 400 ms, as from a busy API server. The owner of the first source opts out.
func TestSelectedSlowReadsOfManySources(t *testing.T) {
	w := newWorld(t)
	const n = 100
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("s-%03d", i)
		w.shares(names[i])
	}
	first := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-000, namespace: $HOME}}`)
	w.grant("reader", w.Away, "create patch")
	w.grantNamed(names...)
	rule := w.selectingAs(asAccount("reader"))
	w.Ready(rule)
	w.settles()
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && r.Header.Get("Impersonate-User") != "" && strings.Contains(r.URL.Path, "/namespaces/"+w.Home+"/configmaps/") {
			<-time.After(400 * time.Millisecond) // the API server is slow
		}
		return nil
	})
	last := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: s-099, namespace: $HOME}}`)
	began := time.Now()
	w.Merge(first, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(first, w.Away, "s-000")
	t.Logf("opt-out held after %s", time.Since(began))
	began = time.Now()
	w.Merge(last, `{"data":{"color":"blue"}}`)
	w.Exists(last, w.Away, "s-099", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	t.Logf("edit followed after %s", time.Since(began))
}
