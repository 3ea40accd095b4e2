package failpoint_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/failpoint"
)

type answering struct{}

func (answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func write(t *testing.T, transport http.RoundTripper) error {
	t.Helper()
	response, err := transport.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/", http.NoBody))
	if err == nil {
		err = response.Body.Close()
	}
	return err
}

func TestTripIsSeenThoughTheFailpointIsArmedAgain(t *testing.T) {
	f := failpoint.New()
	transport := f.Wrap(answering{})
	f.Arm(2, failpoint.Before)
	require.NoError(t, write(t, transport))
	require.ErrorIs(t, write(t, transport), failpoint.ErrCut)

	f.Arm(1, failpoint.After)
	select {
	case <-f.Tripped():
	default:
		require.Fail(t, "whoever waits for it waits for ever")
	}
	f.Mend()
	f.Arm(1, failpoint.After)
	require.ErrorIs(t, write(t, transport), failpoint.ErrCut)
}

func TestOneWriteSuffers(t *testing.T) {
	f := failpoint.New()
	transport := f.Wrap(answering{})
	f.ArmOnce(1, failpoint.Before)
	require.ErrorIs(t, write(t, transport), failpoint.ErrCut)
	<-f.Tripped()
	assert.NoError(t, write(t, transport))
}

func TestDisarmedInTimeItTripsNoMore(t *testing.T) {
	f := failpoint.New()
	transport := f.Wrap(answering{})
	f.Arm(2, failpoint.Before)
	require.NoError(t, write(t, transport))
	require.True(t, f.Disarm())
	require.NoError(t, write(t, transport))

	f.Arm(1, failpoint.Before)
	require.ErrorIs(t, write(t, transport), failpoint.ErrCut)
	assert.False(t, f.Disarm(), "it has tripped")
}
