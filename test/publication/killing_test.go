package publication_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
)

// killing is a test whose operators are killed. Their requests to both clusters pass one failpoint.
type killing struct {
	*publishing

	operator atomic.Pointer[manager.InProcess]
}

// newKilling takes the place of the operator that all tests share. The function that it returns gives it back.
func newKilling(t *testing.T) (k *killing, end func()) {
	t.Helper()
	k = &killing{publishing: newPublishing(t)}
	require.NoError(t, operator.Stop())
	config, err := member.ConfigFor(memberUser, "system:masters")
	require.NoError(t, err)
	proxy, err := faults.NewProxy(env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		return k.operator.Load().Wrap(next).RoundTrip(request)
	}), 1)
	require.NoError(t, err)
	k.through(proxy.Config().Host, proxy.Config().CAData)
	return k, func() {
		k.operator.Load().Kill()
		k.expireLeases()
		k.through(member.Config.Host, nil)
		proxy.Close()
		_, err := start()
		require.NoError(t, err)
	}
}

func (k *killing) through(host string, authority []byte) {
	k.T.Helper()
	address, err := env.AddressOf(host)
	require.NoError(k.T, err)
	k.trusted = authority
	k.relay.Switch(address)
	k.setKubeconfig()
}

// begin starts an operator in the place of one that was killed.
func (k *killing) begin() {
	k.T.Helper()
	k.expireLeases()
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(k.T, err)
	k.operator.Store(manager.Start(config, withRemotes))
}

// expireLeases does what three minutes do: the lease that the operator held in the member is no longer valid.
func (k *killing) expireLeases() {
	k.T.Helper()
	leases := clientset(member).CoordinationV1().Leases(metav1.NamespaceAll)
	list, err := leases.List(k.T.Context(), metav1.ListOptions{})
	require.NoError(k.T, err)
	for i := range list.Items {
		lease := &list.Items[i]
		if !strings.HasPrefix(lease.Name, "projection-") {
			continue
		}
		lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new(""), new(int32(1))
		_, err := clientset(member).CoordinationV1().Leases(lease.Namespace).Update(k.T.Context(), lease, metav1.UpdateOptions{})
		require.NoError(k.T, err)
	}
}
