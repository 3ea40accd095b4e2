package app

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// TestBodiesOfRequestsAreNotLogged asks for more than there is: client-go logs bodies from verbosity 8 on.
func TestBodiesOfRequestsAreNotLogged(t *testing.T) {
	tests := map[string][]string{
		"8":                 {"--zap-log-level=8"},
		"10":                {"--zap-log-level=10"},
		"100":               {"--zap-log-level=100"},
		"10, for a console": {"--zap-devel", "--zap-log-level=10"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			_, logs, err := parse(args, io.Discard)
			require.NoError(t, err)
			var written bytes.Buffer
			logger := zap.New(zap.UseFlagOptions(logs), zap.WriteTo(&written), limitVerbosity)

			logger.V(maxVerbosity).Info("a header")
			logger.V(maxVerbosity + 1).Info("a body")

			assert.Contains(t, written.String(), "a header")
			assert.NotContains(t, written.String(), "a body")
		})
	}
}

func TestFewerWordsAreLoggedOnRequest(t *testing.T) {
	_, logs, err := parse([]string{"--zap-log-level=error"}, io.Discard)
	require.NoError(t, err)
	var written bytes.Buffer
	zap.New(zap.UseFlagOptions(logs), zap.WriteTo(&written), limitVerbosity).Info("news")
	assert.Empty(t, written.String())
}
