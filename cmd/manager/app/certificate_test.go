package app_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

// issue writes a certificate for the host into the directory, as the kubelet does when a Secret changes: under new names.
func issue(t *testing.T, dir, host string) {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey(host, nil, nil)
	require.NoError(t, err)
	for name, content := range map[string][]byte{"tls.key": key, "tls.crt": certificate} {
		fresh := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(fresh, content, 0o600))
		require.NoError(t, os.Rename(fresh, filepath.Join(dir, name)))
	}
}

// presents reports whether the server at the address has a certificate for the host.
func presents(address, host string) bool {
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return false
	}
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0].VerifyHostname(host) == nil
}

func TestMetricsAreServedWithTheCertificateThatIsThere(t *testing.T) {
	dir := t.TempDir()
	issue(t, dir, "first.example.com")
	m := run(t, cluster.Config, func(o *appOptions) { o.MetricsBindAddress, o.MetricsCertDir = address(t), dir })
	m.measures()
	assert.True(t, presents(m.Options.MetricsBindAddress, "first.example.com"))

	issue(t, dir, "second.example.com")
	assert.Eventually(t, func() bool { return presents(m.Options.MetricsBindAddress, "second.example.com") }, env.Timeout, env.Interval)
}

func TestMissingCertificateIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	err := app.Main(t.Context(), "test", []string{"--metrics-cert-dir=" + dir})
	require.ErrorContains(t, err, "--metrics-cert-dir: the directory has to have the files tls.crt and tls.key")
	issue(t, dir, "example.com")
	require.NoError(t, os.Remove(filepath.Join(dir, "tls.key")))
	require.ErrorContains(t, app.Main(t.Context(), "test", []string{"--metrics-cert-dir=" + dir}), "tls.key")
}
