package fleet

import (
	"context"
	"net"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOnlyAProbeOpensTheFirstConnection dials nothing but pipes.
func TestOnlyAProbeOpensTheFirstConnection(t *testing.T) {
	dials, ended := 0, 0
	pipe := func(context.Context, string, string) (net.Conn, error) {
		dials++
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		return here, nil
	}
	c, err := newConnections(Access{Server: &url.URL{Scheme: "https", Host: "x"}}, pipe, func() { ended++ })
	require.NoError(t, err)
	probe := asProbe(t.Context(), &route{connections: c})
	dial := func(ctx context.Context) (net.Conn, error) { return c.connect(ctx, "tcp", "x:443") }

	_, err = dial(t.Context())
	require.ErrorIs(t, err, errUnproven)
	require.ErrorIs(t, c.prove(), errDisconnected, "nothing is open")
	first, err := dial(probe)
	require.NoError(t, err)
	_, err = dial(t.Context())
	require.ErrorIs(t, err, errUnproven, "the probe has not ended")
	assert.Equal(t, 1, dials)
	require.NoError(t, c.prove())
	second, err := dial(t.Context())
	require.NoError(t, err)

	require.NoError(t, first.Close())
	_ = first.Close()
	assert.Zero(t, ended)
	assert.True(t, c.isProven())
	require.NoError(t, second.Close())
	assert.Equal(t, 1, ended, "the last one")
	_, err = dial(t.Context())
	require.ErrorIs(t, err, errUnproven)

	_, err = dial(probe)
	require.NoError(t, err)
	require.NoError(t, c.prove())
	c.close()
	assert.Equal(t, 1, ended, "that was on purpose")
	_, err = dial(probe)
	require.ErrorIs(t, err, errExchanged)
	assert.Equal(t, 4, dials)
}
