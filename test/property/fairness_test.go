package property_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/oracle"
)

// slow delays writes to namespaces whose name contains the word, as a slow webhook would.
type slow struct {
	next  http.RoundTripper
	word  string
	delay time.Duration
}

func (s slow) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPatch && strings.Contains(request.URL.Path, s.word) {
		<-time.After(s.delay)
	}
	return s.next.RoundTrip(request)
}

// TestSlowFanOutDelaysNoOtherRule edits a rule's source while another rule is busy with slow namespaces.
func TestSlowFanOutDelaysNoOtherRule(t *testing.T) {
	t.Parallel()
	const slowNamespaces, delay = 40, 2 * time.Second
	d := newStage(t, 0x3001, "n1", "n2", "n3")
	d.config = rest.CopyConfig(d.config)
	d.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return slow{next, "-slow-", delay} })
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
	require.Eventually(t, func() bool { return d.operator.Writes() > 16 }, soon, tick, "the fan-out is under way")

	require.NoError(t, d.write(configMap, "n1", "a", "blue", false, `"true"`, 1))
	edited := time.Now()
	copied := oracle.PlaceOf(d.at(configMap, "n3", "a"))
	require.Eventually(t, func() bool {
		state, err := d.state()
		require.NoError(t, err)
		return state.Objects[copied].GetLabels()["color"] == "blue"
	}, delay, tick, "the edit waits for the other rule's slow namespaces")
	assert.Less(t, time.Since(edited), delay)
	d.quiet()
}
