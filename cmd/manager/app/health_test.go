package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

func TestManagerIsReadyWhenItKnowsEveryRule(t *testing.T) {
	for _, path := range []string{"/apis/projection.sh/v1/projections", "/apis/projection.sh/v1/clusterprojections", "/api/v1/namespaces"} {
		t.Run(path, func(t *testing.T) {
			held := newGate(path)
			m := run(t, held.on(cluster.Config), nil)
			require.Eventually(t, func() bool {
				assert.NotEqual(t, http.StatusOK, m.health("/readyz"), "it is not ready before it knows them")
				select {
				case <-held.arrived:
					return m.health("/healthz") == http.StatusOK
				default:
					return false
				}
			}, env.Timeout, env.Interval)
			assert.Equal(t, http.StatusInternalServerError, m.health("/readyz"))
			assert.Equal(t, http.StatusOK, m.health("/healthz"), "it is alive all the same")

			close(held.opened)
			m.ready()
			assert.Equal(t, http.StatusOK, m.health("/healthz"))
		})
	}
}

func TestProbesCanBeTurnedOff(t *testing.T) {
	var before string
	run(t, cluster.Config, func(o *appOptions) {
		before, o.HealthProbeBindAddress = o.HealthProbeBindAddress, "0"
	})
	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
	status, _ := manager.Get(t.Context(), "http://"+before+"/healthz", "")
	assert.Zero(t, status)
}
