package app_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestDiscoveryThatHangsDelaysOnlyRulesThatNeedIt changes the definition of a kind with more rules than there are workers, while the
// API server does not answer what it serves.
func TestDiscoveryThatHangsDelaysOnlyRulesThatNeedIt(t *testing.T) {
	const promptly = 2 * time.Second
	var hangs atomic.Bool
	hung, open := make(chan struct{}, 100), make(chan struct{})
	run(t, env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if hangs.Load() && (request.URL.Path == "/api" || request.URL.Path == "/apis") {
			hung <- struct{}{}
			select {
			case <-open:
			case <-request.Context().Done():
				return nil, request.Context().Err()
			}
		}
		return next.RoundTrip(request)
	}), nil).ready()
	w := fixture.New(t, cluster.Config)
	definition, gadget := gadgets(w)
	for i := range 40 {
		w.Ready(w.Project(fmt.Sprint("gadget-", i), gadget, func(rule *v1.Projection) { rule.Spec.Destination.Name = fmt.Sprint("copy-", i) }))
	}
	settings := w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, data: {color: red}}`)
	w.Ready(w.Project("settings", settings))

	hangs.Store(true)
	w.Merge(definition, `{"spec":{"names":{"shortNames":["gdg"]}}}`)
	<-hung
	for i := range 5 {
		color := fmt.Sprint("color-", i)
		w.Merge(settings, `{"data":{"color":"`+color+`"}}`)
		require.Eventuallyf(t, func() bool {
			copied, err := w.Get(settings, w.Away, "it")
			is, _, _ := unstructured.NestedString(copied.Object, "data", "color")
			return err == nil && is == color
		}, promptly, env.Interval, "edit %d", i)
	}

	hangs.Store(false)
	close(open)
	w.Merge(gadget, `{"spec":{"size":2}}`)
	for i := range 40 {
		w.Exists(gadget, w.Away, fmt.Sprint("copy-", i), func(o *unstructured.Unstructured) bool {
			size, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
			return assert.ObjectsAreEqual(int64(2), size)
		})
	}
}
