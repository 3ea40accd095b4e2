package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProfilesAreServedOnDemandOnly(t *testing.T) {
	at := address(t)
	m := run(t, cluster.Config, func(o *appOptions) { o.PprofBindAddress = at })
	m.ready()
	status, body := get(t, http.DefaultClient, "http://"+at+"/debug/pprof/goroutine?debug=1", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "goroutine profile")
	m.stop()

	other := run(t, cluster.Config, nil)
	other.ready()
	status, _ = get(t, http.DefaultClient, "http://"+other.options.HealthProbeBindAddress+"/debug/pprof/", "")
	assert.Equal(t, http.StatusNotFound, status, "not beside the probes")
	status, _ = get(t, http.DefaultClient, "http://"+at+"/debug/pprof/", "")
	assert.Zero(t, status, "nobody listens by default")
}
