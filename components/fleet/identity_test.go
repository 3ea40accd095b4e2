package fleet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"projection.sh/operator/components/fleet"
)

const (
	first  types.UID = "5b7d6c1e-9f0a-4c0e-8a53-6f8e6f2d9b11"
	second types.UID = "0c1d2e3f-9f0a-4c0e-8a53-6f8e6f2d9b11"
)

func TestIdentityOfACluster(t *testing.T) {
	boom := errors.New("connection refused")
	tests := map[string]struct {
		pinned, found types.UID
		err           error
		message       string
		pinnedAfter   types.UID
	}{
		"first contact":                    {"", first, nil, "", first},
		"the same":                         {first, first, nil, "", first},
		"another":                          {first, second, nil, "this is another cluster: the uid of its namespace kube-system is " + string(second) + ", and not " + string(first), first},
		"no answer":                        {first, "", boom, boom.Error(), first},
		"no answer at first":               {"", "", boom, boom.Error(), ""},
		"no kube-system":                   {"", "", nil, "nothing shows which cluster this is: it has no namespace kube-system", ""},
		"no kube-system any more":          {first, "", nil, "this may be another cluster: it has no namespace kube-system, whose uid was " + string(first), first},
		"no kube-system, and believed":     {"root:shop", "", nil, "", "root:shop"},
		"words for one that has a uid":     {"root:shop", first, nil, "this is another cluster: the uid of its namespace kube-system is " + string(first) + ", and not root:shop", "root:shop"},
		"pinned uid in upper case letters": {"5B7D6C1E-9F0A-4C0E-8A53-6F8E6F2D9B11", first, nil, "this is another cluster: the uid of its namespace kube-system is " + string(first) + ", and not 5B7D6C1E-9F0A-4C0E-8A53-6F8E6F2D9B11", "5B7D6C1E-9F0A-4C0E-8A53-6F8E6F2D9B11"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			identity := fleet.NewIdentity(test.pinned, clocktesting.NewFakePassiveClock(time.Now()),
				func(context.Context) (types.UID, error) { return test.found, test.err })
			err := identity.Sure(t.Context(), 0)
			if test.message == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.message)
			}
			assert.Equal(t, test.pinnedAfter, identity.Pinned())
			var changed *fleet.IdentityError
			assert.Equal(t, test.message != "" && test.err == nil, errors.As(err, &changed))
		})
	}
}

func TestIdentityIsAskedForAgainAfterAWhile(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Now())
	found, asked := first, 0
	identity := fleet.NewIdentity("", clock, func(context.Context) (types.UID, error) {
		asked++
		clock.SetTime(clock.Now().Add(time.Second)) // the answer takes a while
		return found, nil
	})
	sure := func(within time.Duration) error { return identity.Sure(t.Context(), within) }
	require.NoError(t, sure(time.Minute))
	require.NoError(t, sure(time.Minute))
	assert.Equal(t, 1, asked)
	require.NoError(t, sure(0))
	assert.Equal(t, 2, asked, "now")

	clock.SetTime(clock.Now().Add(58 * time.Second))
	require.NoError(t, sure(time.Minute))
	assert.Equal(t, 2, asked)
	clock.SetTime(clock.Now().Add(time.Second))
	require.NoError(t, sure(time.Minute))
	assert.Equal(t, 3, asked, "the answer is as old as its question")

	found = second
	require.Error(t, sure(0))
	require.Error(t, sure(time.Hour), "what it said before counts no more")
	assert.Equal(t, 5, asked)
	identity.Pin(second)
	require.NoError(t, sure(time.Hour))
	identity.Pin(second)
	require.NoError(t, sure(time.Hour))
	assert.Equal(t, 6, asked)
	identity.Pin("")
	require.NoError(t, sure(time.Hour))
	assert.Equal(t, 7, asked)
	assert.Equal(t, second, identity.Pinned())
}
