package property_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// TestSlowFanOutDelaysNoOtherRule edits a rule's source while another rule is busy with slow namespaces. Their writes end when the edit has arrived.
func TestSlowFanOutDelaysNoOtherRule(t *testing.T) {
	t.Parallel()
	const slowNamespaces, atOnce = 40, 16
	d := newStage(t, 0x3001, "n1", "n2", "n3")
	var begun atomic.Int32
	arrived := make(chan struct{})
	end := sync.OnceFunc(func() { close(arrived) })
	defer end()
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == http.MethodPatch && strings.Contains(request.URL.Path, "-slow-") {
			begun.Add(1)
			<-arrived // as a slow webhook does
		}
		return next.RoundTrip(request)
	})
	d.red("n3")
	d.source("n1", "a")
	d.source("n2", "b")
	d.start()
	d.fanOut("c1", "n1", "a")
	d.quiet()
	var names []string
	for i := range slowNamespaces {
		d.namespace(fmt.Sprintf("slow-%02d", i))
		names = append(names, d.name(fmt.Sprintf("slow-%02d", i)))
	}
	d.fanOut("c2", "n2", "b", names...)
	require.Eventually(t, func() bool { return begun.Load() >= atOnce }, timeout, interval, "the fan-out is under way")

	require.NoError(t, d.write(configMap, "n1", "a", "blue", false, `"true"`, 1))
	copied := oracle.PlaceOf(d.at(configMap, "n3", "a"))
	require.Eventually(t, func() bool {
		state, err := d.state()
		require.NoError(t, err)
		return state.Objects[copied].GetLabels()["color"] == "blue"
	}, timeout/2, interval, "the edit waits for the other rule's slow namespaces")
	end()
	d.quiet()
}
