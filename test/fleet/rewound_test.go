package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/test/env"
)

// TestRewoundMemberIsReadAnew restores the etcd of a member from snapshots that are older and younger than the last renewal of the lease. In both, what
// the stream has seen deleted is there again.
func TestRewoundMemberIsReadAnew(t *testing.T) {
	const namespace = metav1.NamespaceDefault
	plane, err := env.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	access := adminAccess(t, plane, "rewound")
	m := newMember(t, "rewound", access, 0)
	w := newWitnessed(t, m, plane, m.Config(), namespace)
	for name, renewsLater := range map[string]bool{"younger": false, "older": true} {
		w.put(t, name, "first")
		w.says(t, name, "first")
		w.renew(t)
		w.put(t, name, "second") // the stream has seen the renewal
		w.says(t, name, "second")
		snapshot, err := plane.TakeSnapshot()
		require.NoError(t, err)
		if renewsLater {
			w.renew(t)
		}
		w.delete(t, name)
		w.says(t, name, "deleted")
		w.mu.Lock()
		before := w.replaced
		w.mu.Unlock()
		mark, err := plane.AuditMark()
		require.NoError(t, err)

		require.NoError(t, plane.RestoreSnapshot(t.Context(), snapshot))
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			w.mu.Lock()
			defer w.mu.Unlock()
			assert.Equal(c, before+1, w.replaced)
		}, 3*env.Timeout, env.Interval, name)
		w.put(t, name, "third")
		w.says(t, name, "third")
		requests, err := plane.RequestsSince(mark, "rewound")
		require.NoError(t, err)
		lists := 0
		for _, request := range requests {
			if request.Verb == "list" && request.Code < 400 {
				lists++
			}
		}
		assert.Equal(t, 1, lists, name)
	}
}
