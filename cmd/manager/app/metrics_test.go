package app_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// measures waits until the manager serves metrics, and returns where.
func (m running) measures() string {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		status, _ := manager.Get(m.t.Context(), m.MetricsURL(), "")
		return status != 0
	}, env.Timeout, env.Interval)
	return m.MetricsURL()
}

// token returns a credential of a service account that was made for it.
func token(t *testing.T, namespace, account string) string {
	t.Helper()
	accounts := kube().CoreV1().ServiceAccounts(namespace)
	_, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	request, err := accounts.CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	return request.Status.Token
}

// mayScrape lets the service account read /metrics.
func mayScrape(t *testing.T, namespace, account string) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Rules:      []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}},
	}
	_, err := kube().RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	require.NoError(t, err)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: namespace},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}},
	}
	_, err = kube().RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
}

func TestMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	namespace := newNamespace(t)
	scraper, nobody := token(t, namespace, "scraper"), token(t, namespace, "nobody")
	mayScrape(t, namespace, "scraper")
	m := run(t, cluster.Config, func(o *appOptions) { o.MetricsBindAddress = address(t) })
	url := m.measures()

	status, body := manager.Get(t.Context(), url, "")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, body, "projection_")
	status, body = manager.Get(t.Context(), url, "forged")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.NotContains(t, body, "projection_")
	status, body = manager.Get(t.Context(), url, nobody)
	assert.Equal(t, http.StatusForbidden, status)
	assert.NotContains(t, body, "projection_")

	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
	var metrics string
	require.Eventually(t, func() bool {
		status, metrics = manager.Get(t.Context(), url, scraper)
		return status == http.StatusOK
	}, env.Timeout, env.Interval)
	for _, name := range []string{
		`projection_reconcile_total{kind="Projection",result="source_error"}`, "projection_watched_gvks ", "projection_watched_dest_gvks ",
	} {
		assert.Contains(t, metrics, "\n"+name)
	}
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "projection_") {
			assert.NotContains(t, line, rule.Namespace, "nothing is labelled with names of objects")
		}
	}
}

// TestMetricsTellAnUnknownTokenFromAFailure asks with a token whose account is gone, and with one that the API server cannot be asked
// about.
func TestMetricsTellAnUnknownTokenFromAFailure(t *testing.T) {
	namespace := newNamespace(t)
	scraper, gone := token(t, namespace, "scraper"), token(t, namespace, "gone")
	mayScrape(t, namespace, "scraper")
	require.NoError(t, kube().CoreV1().ServiceAccounts(namespace).Delete(t.Context(), "gone", metav1.DeleteOptions{}))
	var failing atomic.Value
	failing.Store("/nothing")
	config := env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if strings.HasSuffix(request.URL.Path, failing.Load().(string)) {
			return nil, errors.New("the connection is cut")
		}
		return next.RoundTrip(request)
	})
	m := run(t, config, func(o *appOptions) { o.MetricsBindAddress = address(t) })
	url := m.measures()
	answer := func(token string) int {
		status, body := manager.Get(t.Context(), url, token)
		assert.NotContains(t, body, "projection_")
		assert.NotContains(t, body, "the connection is cut")
		return status
	}

	assert.Equal(t, http.StatusUnauthorized, answer(gone))
	failing.Store("/tokenreviews")
	assert.Equal(t, http.StatusInternalServerError, answer(scraper))
	assert.Equal(t, http.StatusUnauthorized, answer(""), "nothing is asked without a token")
	failing.Store("/subjectaccessreviews")
	assert.Equal(t, http.StatusInternalServerError, answer(scraper))
	failing.Store("/nothing")
	assert.Eventually(t, func() bool {
		status, body := manager.Get(t.Context(), url, scraper)
		return status == http.StatusOK && strings.Contains(body, "projection_watched_gvks ")
	}, env.Timeout, env.Interval)
}

func TestMetricsSpeakHTTP2OnRequestOnly(t *testing.T) {
	for name, test := range map[string]struct {
		enable   bool
		protocol string
	}{"by default": {false, "http/1.1"}, "enabled": {true, "h2"}} {
		t.Run(name, func(t *testing.T) {
			m := run(t, cluster.Config, func(o *appOptions) { o.MetricsBindAddress, o.EnableHTTP2 = address(t), test.enable })
			m.measures()
			connection, err := tls.Dial("tcp", m.Options.MetricsBindAddress, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
			require.NoError(t, err)
			assert.Equal(t, test.protocol, connection.ConnectionState().NegotiatedProtocol)
			require.NoError(t, connection.Close())
		})
	}
}

func TestMetricsWithoutTLSAreForEverybody(t *testing.T) {
	m := run(t, cluster.Config, func(o *appOptions) { o.MetricsBindAddress, o.MetricsSecure = address(t), false })
	status, body := manager.Get(t.Context(), m.measures(), "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "projection_watched_gvks")
}
