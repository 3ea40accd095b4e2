package push_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
	"projection.sh/operator/test/faults"
)

// killing is a test whose operators are killed. Their requests to all three clusters pass one failpoint.
type killing struct {
	*pushing

	operator atomic.Pointer[manager.InProcess]
}

// newKilling takes the place of the operator that all tests share. The function that it returns gives it back.
func newKilling(t *testing.T) (k *killing, end func()) {
	t.Helper()
	k = &killing{pushing: newPushing(t)}
	require.NoError(t, operator.Stop())
	var proxies []*faults.Proxy
	for _, member := range k.pair() {
		config, err := member.Cluster.ConfigFor(remotes.User, "system:masters")
		require.NoError(t, err)
		proxy, err := faults.NewProxy(env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
			return k.operator.Load().Wrap(next).RoundTrip(request)
		}), 1)
		require.NoError(t, err)
		proxies = append(proxies, proxy)
		member.Through(proxy)
	}
	return k, func() {
		k.operator.Load().Kill()
		k.freeLeases()
		for i, member := range k.pair() {
			member.Through(nil)
			proxies[i].Close()
		}
		_, err := start()
		require.NoError(t, err)
	}
}

// begin starts an operator in the place of one that was killed.
func (k *killing) begin() {
	k.T.Helper()
	k.freeLeases()
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(k.T, err)
	started := manager.Start(config, func(o *app.Options) { o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets })
	k.operator.Store(started)
}

// freeLeases does what three minutes do: the leases that the operator held in the clusters are no longer valid.
func (k *killing) freeLeases() {
	k.T.Helper()
	for _, member := range k.pair() {
		list := &coordinationv1.LeaseList{}
		require.NoError(k.T, member.World.Client.List(k.T.Context(), list))
		for i := range list.Items {
			lease := &list.Items[i]
			if !strings.HasPrefix(lease.Name, "projection-") {
				continue
			}
			lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new(""), new(int32(1))
			require.NoError(k.T, member.World.Client.Update(k.T.Context(), lease))
		}
	}
}
