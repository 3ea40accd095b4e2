package crash_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var leaseDuration = flag.Duration("lease", 10*time.Second, "duration of the leases of managers; a busy machine may renew shorter ones too late")

// holder returns who holds the lease of the managers that serve the world.
func (w *world) holder() string {
	var leases coordinationv1.LeaseList
	if err := w.Client.List(w.T.Context(), &leases, client.InNamespace(w.name("leases"))); err != nil || len(leases.Items) == 0 {
		return ""
	}
	return holderOf(&leases.Items[0])
}

func holderOf(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// succeeds waits until somebody else leads.
func (w *world) succeeds(before string) {
	w.T.Helper()
	require.Eventually(w.T, func() bool {
		holder := w.holder()
		return holder != "" && holder != before
	}, timeout, interval, "nobody succeeds %s", before)
}

// terms notes every version of the lease from now on. The function that it returns waits until somebody else leads, and
// returns the last version before that and the first one that names the successor.
func (w *world) terms(led string) func() (last, next *coordinationv1.Lease) {
	w.T.Helper()
	leases, err := kubernetes.NewForConfig(cluster.Config)
	require.NoError(w.T, err)
	versions, err := leases.CoordinationV1().Leases(w.name("leases")).Watch(w.T.Context(), metav1.ListOptions{})
	require.NoError(w.T, err)
	w.T.Cleanup(versions.Stop)
	return func() (last, next *coordinationv1.Lease) {
		w.succeeds(led)
		for event := range versions.ResultChan() {
			next, _ = event.Object.(*coordinationv1.Lease)
			require.NotNil(w.T, next, "%v", event)
			if holder := holderOf(next); holder != led && holder != "" {
				break
			}
			last = next
		}
		require.NotNil(w.T, last)
		return last, next
	}
}

// TestTimeWithoutALeader lets the leader go. Who stops gives its lease up; the lease of any other has to run out first.
// How long an edit waits is in the log.
func TestTimeWithoutALeader(t *testing.T) {
	tests := map[string]struct {
		goes    func(*pair)
		givesUp bool
	}{
		"clean stop": {func(p *pair) { require.NoError(p.T, p.first.Stop()) }, true},
		"kill":       {func(p *pair) { p.first.Kill() }, false},
		"freeze":     {func(p *pair) { require.NoError(p.T, p.first.Freeze()) }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, "without-"+strings.ReplaceAll(name, " ", "-"))
			led := p.holder()
			terms := p.terms(led)
			began := time.Now()
			test.goes(p)
			p.editSource(`{"data":{"color":"blue"}}`)
			last, next := terms()
			leads := time.Since(began)
			p.settles()
			t.Logf("%s, lease of %s: another one leads after %.1f s, the edit is copied after %.1f s",
				name, *leaseDuration, leads.Seconds(), time.Since(began).Seconds())

			assert.Equal(t, *last.Spec.LeaseTransitions+1, *next.Spec.LeaseTransitions)
			if test.givesUp {
				assert.Empty(t, holderOf(last), "the successor waits for a lease that nobody holds")
				return
			}
			assert.Equal(t, led, holderOf(last))
			lasts := time.Duration(*last.Spec.LeaseDurationSeconds) * time.Second
			assert.Equal(t, *leaseDuration, lasts)
			// The two times are of a clock that may be set; the replicas measure by one that is not, as the differences of this test are.
			now := time.Now()
			set := now.Round(0).Sub(began.Round(0)) - now.Sub(began)
			waited := next.Spec.AcquireTime.Sub(last.Spec.RenewTime.Time) - set
			assert.GreaterOrEqual(t, waited, lasts-lasts/50, "the lease is taken before it has run out")
			assert.Less(t, waited, 2*lasts, "nobody leads long after the lease has run out")
		})
	}
}
