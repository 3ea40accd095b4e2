package publication

import (
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/components/metrics"
)

// TestPanicIsLoggedAndCounted has a pass panic with a value that nobody may see.
func TestPanicIsLoggedAndCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	counted, err := metrics.New(registry)
	require.NoError(t, err)
	var lines []string
	logger := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	p := &publication{name: "certs", engine: &Engine{options: Options{Metrics: counted}}}
	err = p.catchPanic(log.IntoContext(t.Context(), logr.New(logger.GetSink())), func() error { panic("secret value") })
	require.ErrorIs(t, err, errPanic)
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "certs")
	assert.Contains(t, lines[0], "panic_internal_test.go")
	assert.NotContains(t, lines[0], "secret value")
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "projection_panics_total" {
			assert.InDelta(t, 1, family.GetMetric()[0].GetCounter().GetValue(), 0)
			return
		}
	}
	assert.Fail(t, "the panic is not counted")
}
