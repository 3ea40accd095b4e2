package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func kubeconfig(server, context string) string {
	return `
apiVersion: v1
kind: Config
clusters: [{name: there, cluster: {server: "` + server + `"}}]
contexts: [{name: there, context: {cluster: there, user: me}}]
users: [{name: me, user: {token: t}}]
current-context: ` + context
}

func written(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestKubeConfig(t *testing.T) {
	config, err := Options{KubeConfig: written(t, kubeconfig("https://there:6443", "there"))}.restConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://there:6443", config.Host)
	assert.Equal(t, "t", config.BearerToken)
	assert.Negative(t, config.QPS, "the API server decides how fast we may be")
}

func TestKubeConfigOfTheEnvironment(t *testing.T) {
	t.Setenv("KUBECONFIG", written(t, kubeconfig("https://there:6443", "there")))
	config, err := Options{}.restConfig()
	require.NoError(t, err)
	assert.Equal(t, "https://there:6443", config.Host)
}

func TestBadKubeConfig(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	tests := map[string]struct{ path, because string }{
		"no such file":    {filepath.Join(t.TempDir(), "nothing"), "no such file or directory"},
		"a directory":     {t.TempDir(), "is a directory"},
		"no YAML":         {written(t, "}{"), "yaml"},
		"another kind":    {written(t, `{apiVersion: v1, kind: Secret}`), "Secret"},
		"nothing in it":   {written(t, ""), "no configuration has been provided"},
		"no such context": {written(t, kubeconfig("https://there:6443", "elsewhere")), "context was not found for specified context: elsewhere"},
		"none at all":     {"", "no configuration has been provided"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Options{KubeConfig: test.path}.restConfig()
			require.ErrorContains(t, err, "find the API server (--kubeconfig): ")
			require.ErrorContains(t, err, test.because)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}
