package fleet_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"

	"projection.sh/operator/components/fleet"
)

func TestSuitability(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "leases"}, "hub", errors.New("it has changed"))
	tests := map[string]struct {
		code     int
		git      string
		applies  func(isThere bool) error
		suitable fleet.Suitability
		writable bool
	}{
		"it checks":                      {suitable: fleet.Suitable, writable: true},
		"another build that checks":      {git: "v1.33.4+k3s1", suitable: fleet.Suitable, writable: true},
		"it applies onto what is there":  {applies: func(bool) error { return nil }, suitable: fleet.Unsuitable},
		"it creates nothing":             {applies: func(bool) error { return conflict }, suitable: fleet.Unsuitable},
		"not permitted":                  {code: forbidden, suitable: fleet.NotAskable, writable: true},
		"another build, not permitted":   {code: forbidden, git: "v1.33.4+k3s1", suitable: fleet.NotAskable},
		"another build, and no home":     {code: http.StatusNotFound, git: "v1.33.4-eks-1", suitable: fleet.NotAskable},
		"the apply alone is not allowed": {applies: func(bool) error { return apierrors.NewForbidden(schema.GroupResource{}, "hub", nil) }, suitable: fleet.NotAskable, writable: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock := testingclock.NewFakeClock(time.Now())
			leases := &leases{code: test.code, git: test.git, applies: test.applies}
			p := newProcess(t, clock, leases, "a")
			require.Eventually(t, func() bool { return p.Suitability() == test.suitable }, 10*time.Second, time.Millisecond)
			assert.Equal(t, test.writable, p.Writable() == nil, p.Writable())
		})
	}
}

func TestSuitabilityIsAskedForOncePerVersion(t *testing.T) {
	clock, leases := testingclock.NewFakeClock(time.Now()), &leases{}
	p := newProcess(t, clock, leases, "a")
	p.writes(t)
	after(t, clock, 10*time.Second, func() bool { _, writes := leases.count(); return writes == 4 })
	asked := func() int { leases.mu.Lock(); defer leases.mu.Unlock(); return leases.asked }
	assert.Equal(t, 2, asked())
	leases.change(func() {
		leases.git = "v1.38.0"
		leases.applies = func(bool) error { return nil }
	})
	after(t, clock, 10*time.Second, func() bool { return p.Suitability() == fleet.Unsuitable })
	require.ErrorContains(t, p.Writable(), "does not check")
	leases.change(func() { leases.applies = nil })
	after(t, clock, 10*time.Second, func() bool { return p.Writable() == nil })
}
