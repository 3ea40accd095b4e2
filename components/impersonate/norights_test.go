package impersonate_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/test/env"
)

// TestAccountThatMayNotAskWhoItIs runs in a cluster whose administrator has removed the binding system:basic-user. The refusal names the account,
// so the header has arrived. No other test runs meanwhile.
func TestAccountThatMayNotAskWhoItIs(t *testing.T) {
	rbac := kubernetes.NewForConfigOrDie(cluster.Config).RbacV1().ClusterRoleBindings()
	binding, err := rbac.Get(t.Context(), "system:basic-user", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, rbac.Delete(t.Context(), binding.Name, metav1.DeleteOptions{}))
	defer func() {
		_, err := rbac.Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: binding.Name}, RoleRef: binding.RoleRef, Subjects: binding.Subjects,
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}()
	config, err := cluster.ConfigFor("unquestioned", "system:masters")
	require.NoError(t, err)
	writer := impersonate.UserOf(ref("projection-writer"))
	require.Eventually(t, func() bool {
		_, err := whoAmI(impersonate.As(t.Context(), writer), newClient(t, config))
		return writer.Lacks(err)
	}, env.Timeout, env.Interval, "the API server still allows it to ask")
	held := make(chan struct{})
	var reviews atomic.Int32
	config = env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == http.MethodPost {
			reviews.Add(1)
			if strings.HasSuffix(request.Header.Get("Impersonate-User"), ":slow") {
				<-held
			}
		}
		return next.RoundTrip(request)
	})
	client := newClient(t, config)
	waits := make(chan error)
	go func() { waits <- refusal(t, client, "slow", "configmaps") }()
	require.Eventually(t, func() bool { return reviews.Load() == 1 }, env.Timeout, env.Interval)
	for range 3 {
		require.ErrorContains(t, refusal(t, client, "projection-writer", "configmaps"), `cannot get resource "configmaps"`)
	}
	assert.Equal(t, int32(2), reviews.Load(), "one of each account")
	close(held)
	assert.ErrorContains(t, <-waits, `cannot get resource "configmaps"`)
}
