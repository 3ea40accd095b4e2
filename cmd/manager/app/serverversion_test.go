package app_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
)

// TestUpgradeOfTheAPIServerIsFollowed upgrades an API server to the version from which on it labels Pods itself. Nothing else changes.
func TestUpgradeOfTheAPIServerIsFollowed(t *testing.T) {
	const user, label = "upgraded", "topology.kubernetes.io/zone"
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	proxy, err := faults.NewProxy(config, 0)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	var version atomic.Value
	version.Store("v1.34.0")
	run(t, env.Intercept(proxy.Config(), func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.URL.Path != "/version" {
			return next.RoundTrip(request)
		}
		return &http.Response{
			StatusCode: http.StatusOK, Request: request, Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(`{"gitVersion":"` + version.Load().(string) + `"}`)),
		}, nil
	}), nil)
	w := fixture.New(t, cluster.Config)
	pod := w.Create(`
apiVersion: v1
kind: Pod
metadata:
  name: it
  namespace: $HOME
  annotations: {projection.sh/projectable: "true"}
  labels: {topology.kubernetes.io/zone: here}
spec: {containers: [{name: it, image: registry.example.com/it:1}]}
`)
	w.Ready(w.Project("rule", pod))
	copied := w.Exists(pod, w.Away, "it", fixture.Anything)
	assert.Contains(t, copied.GetLabels(), label, "an older API server does not write it")

	version.Store("v1.35.0")
	proxy.Down()
	proxy.Up()
	w.Exists(pod, w.Away, "it", func(o *unstructured.Unstructured) bool { return o.GetLabels()[label] == "" })

	becomesQuiet(t, user)
	mark := fixture.Mark(t, cluster)
	proxy.Down()
	proxy.Up()
	becomesQuiet(t, user)
	for _, request := range fixture.RequestsSince(t, cluster, mark, user) {
		if request.Resource == "" { // discovery, if the reconcile for the other version came too soon after the discovery before
			continue
		}
		assert.Contains(t, []string{"watch", "list"}, request.Verb, "an API server of the same version changes nothing: %s", request)
	}
}
