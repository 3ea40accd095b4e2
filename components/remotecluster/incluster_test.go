package remotecluster_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
)

// TestAccessOfAPod has the files of its service account be renewed.
func TestAccessOfAPod(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	config := &rest.Config{Host: "https://10.0.0.1:443", BearerToken: "a", BearerTokenFile: token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte("authority")}}
	for _, want := range []string{"a", "b"} {
		require.NoError(t, os.WriteFile(token, []byte(want+"\n"), 0o600))
		access, err := remotecluster.AccessOf(config)
		require.NoError(t, err)
		assert.Equal(t, want, access.Token)
		assert.Equal(t, "https://10.0.0.1:443", access.String())
		assert.Equal(t, []byte("authority"), access.Authorities)
	}
	require.NoError(t, os.Remove(token))
	_, err := remotecluster.AccessOf(config)
	require.Error(t, err)
}

func TestAccessThatIsRefused(t *testing.T) {
	for name, config := range map[string]*rest.Config{
		"unchecked": {Host: "https://a", TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		"password":  {Host: "https://a", Username: "a", Password: "b"},
	} {
		_, err := remotecluster.AccessOf(config)
		var refused *fleet.AccessError
		require.ErrorAs(t, err, &refused, name)
	}
}
