package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/test/env/manager"
)

func TestProfilesAreServedOnDemandOnly(t *testing.T) {
	at := address(t)
	m := run(t, cluster.Config, func(o *appOptions) { o.PprofBindAddress = at })
	m.ready()
	status, body := manager.Get(t.Context(), "http://"+at+"/debug/pprof/goroutine?debug=1", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "goroutine profile")
	m.stop()

	other := run(t, cluster.Config, nil)
	other.ready()
	status, _ = other.Probe(t.Context(), "/debug/pprof/")
	assert.Equal(t, http.StatusNotFound, status, "not beside the probes")
	status, _ = manager.Get(t.Context(), "http://"+at+"/debug/pprof/", "")
	assert.Zero(t, status, "nobody listens by default")
}
