package property_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// TestSlowFanOutDelaysNoOtherRule edits a rule's source while another rule is busy with slow namespaces.
func TestSlowFanOutDelaysNoOtherRule(t *testing.T) {
	t.Parallel()
	const slowNamespaces, delay = 40, 2 * time.Second
	d := newStage(t, 0x3001, "n1", "n2", "n3")
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == http.MethodPatch && strings.Contains(request.URL.Path, "-slow-") {
			<-time.After(delay) // as a slow webhook does
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
	require.Eventually(t, func() bool { return d.operator.Writes() > 16 }, timeout, interval, "the fan-out is under way")

	require.NoError(t, d.write(configMap, "n1", "a", "blue", false, `"true"`, 1))
	edited := time.Now()
	copied := oracle.PlaceOf(d.at(configMap, "n3", "a"))
	require.Eventually(t, func() bool {
		state, err := d.state()
		require.NoError(t, err)
		return state.Objects[copied].GetLabels()["color"] == "blue"
	}, delay, interval, "the edit waits for the other rule's slow namespaces")
	assert.Less(t, time.Since(edited), delay)
	d.quiet()
}
