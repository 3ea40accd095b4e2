package app_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

type appOptions = app.Options

const grace = 10 * time.Second

func TestManagerThatIsAskedToEndDoesSo(t *testing.T) {
	t.Run("with watches open", func(t *testing.T) {
		m := run(t, cluster.Config, nil)
		rule := newRule(t, nil)
		require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
		assert.Less(t, m.stop(), grace)
	})
	t.Run("before the API server has answered anything", func(t *testing.T) {
		silent, connected := newSilentServer(t)
		m := run(t, silent, nil)
		<-connected
		assert.Less(t, m.stop(), grace)
	})
	t.Run("before it is ready", func(t *testing.T) {
		held := newGate("/apis/projection.sh/v1/projections")
		m := run(t, held.on(cluster.Config), nil)
		<-held.arrived
		assert.Less(t, m.stop(), grace)
	})
	t.Run("in the middle of a pass", func(t *testing.T) {
		rule := newRule(t, nil)
		held := newGate("/api/v1/namespaces/" + rule.Namespace + "/configmaps/nothing")
		m := run(t, held.on(cluster.Config), nil)
		<-held.arrived
		assert.Less(t, m.stop(), grace)
		assert.False(t, served(t, rule), "a pass that was cut short tells nothing")
	})
}

func TestManagerWithoutAnAPIServer(t *testing.T) {
	options := app.Defaults()
	options.LeaderElect, options.MetricsBindAddress, options.HealthProbeBindAddress = false, "0", "0"
	err := app.Run(t.Context(), &rest.Config{Host: "https://" + address(t)}, options)
	require.ErrorContains(t, err, "connection refused")
	assert.NotContains(t, err.Error(), "\n")
}

// TestManagerTrustsNoOtherAuthority lets somebody else answer in place of the API server.
func TestManagerTrustsNoOtherAuthority(t *testing.T) {
	asked := false
	impostor := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	impostor.Config.ErrorLog = log.New(io.Discard, "", 0)
	impostor.StartTLS()
	defer impostor.Close()
	options := app.Defaults()
	options.LeaderElect, options.MetricsBindAddress, options.HealthProbeBindAddress = false, "0", "0"
	config := rest.CopyConfig(cluster.Config)
	config.Host = impostor.URL
	require.ErrorContains(t, app.Run(t.Context(), config, options), "certificate signed by unknown authority")
	assert.False(t, asked, "no credentials are sent")
}

func TestManagerNeedsAPlaceForItsLease(t *testing.T) {
	err := app.Run(t.Context(), cluster.Config, app.Defaults())
	assert.EqualError(t, err, "--leader-elect: outside of a pod the lease needs a place; set --leader-election-namespace, or --leader-elect=false")
}

func TestManagerServesTheRulesOfItsShardOnly(t *testing.T) {
	theirs := newRule(t, map[string]string{"shard": "b"})
	run(t, cluster.Config, func(o *appOptions) { o.WatchLabelSelector = "shard=a" })
	ours := newRule(t, map[string]string{"shard": "a"})
	require.Eventually(t, func() bool { return served(t, ours) }, env.Timeout, env.Interval)
	assert.False(t, served(t, theirs))
}

func TestSecondManagerTakesOverAtOnce(t *testing.T) {
	namespace := newNamespace(t)
	elected := func(o *appOptions) {
		o.LeaderElect, o.LeaderElectionNamespace, o.LeaderElectionLeaseDuration = true, namespace, 60*time.Second
	}
	holder := func() string {
		lease, err := kube().CoordinationV1().Leases(namespace).Get(context.Background(), "projection.sh", metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	first := run(t, cluster.Config, elected)
	require.Eventually(t, func() bool { return holder() != "" }, env.Timeout, env.Interval)
	leader := holder()
	second := run(t, cluster.Config, elected)
	second.ready()
	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
	assert.Equal(t, leader, holder(), "the second stands by")

	assert.Less(t, first.stop(), grace)
	require.Eventually(t, func() bool { return holder() != "" && holder() != leader }, 30*time.Second, env.Interval,
		"the lease was released: the second does not wait for a minute")
	after := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, after) }, env.Timeout, env.Interval)

	assert.Less(t, second.stop(), grace)
	assert.Empty(t, holder(), "whoever ends releases the lease")
}
