package crash_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// sharedLease is a lease that a rule copies.
const sharedLease = "shared"

// leaseRule copies a lease to every namespace of the group. The oracle sees neither: they do not bear its label.
func (p *pair) leaseRule() {
	p.T.Helper()
	source := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.name(home), Name: sharedLease, Annotations: map[string]string{v1.AnnotationProjectable: "true"},
	}}
	require.NoError(p.T, p.Client.Create(p.T.Context(), source))
	require.NoError(p.T, p.Client.Create(p.T.Context(), &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: p.name("leases"), Labels: map[string]string{laneLabel: p.lane}},
		Spec: v1.ClusterProjectionSpec{
			Source: v1.SourceRef{Group: coordinationv1.GroupName, Kind: "Lease", Namespace: p.name(home), Name: sharedLease},
			Destination: v1.ClusterProjectionDestination{
				NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{groupLabel: p.id}},
			},
		},
	}))
}

// hold edits the lease that is copied.
func (p *pair) hold(holder string) {
	p.T.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: p.name(home), Name: sharedLease}}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"holderIdentity": holder}})
	require.NoError(p.T, err)
	require.NoError(p.T, p.Client.Patch(p.T.Context(), lease, client.RawPatch(types.MergePatchType, patch)))
}

// held waits until there are so many copies of the lease, all with the holder.
func (p *pair) held(holder string, wanted int) {
	p.T.Helper()
	require.Eventually(p.T, func() bool {
		var leases coordinationv1.LeaseList
		if err := p.Client.List(p.T.Context(), &leases); err != nil {
			return false
		}
		count := 0
		for _, lease := range leases.Items {
			rule := lease.Annotations[v1.AnnotationOwnedByClusterProjection]
			if rule == p.name("leases") && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == holder {
				count++
			}
		}
		return count == wanted
	}, timeout, interval)
}

// TestFrozenLeaderDoesNotRenewByACopyThatIsALease freezes a leader that copies leases, when none is under way.
func TestFrozenLeaderDoesNotRenewByACopyThatIsALease(t *testing.T) {
	t.Parallel()
	const namespaces = 40
	p := newPair(t, "frozen-leases")
	p.crowd(namespaces)
	p.leaseRule()
	p.hold("a")
	p.held("a", namespaces+2)
	p.settles()
	led := p.holder()
	require.NoError(t, p.first.Freeze())
	p.hold("b")
	p.succeeds(led)
	mark := fixture.Mark(t, cluster)
	p.held("b", namespaces+2)
	for i := range namespaces / 2 {
		p.group(fmt.Sprintf("n%02d", i), false) // the first still plans copies here
	}
	p.held("b", namespaces/2+2)
	p.settles()

	p.thawed()
	assert.Empty(t, p.written(mark, p.first.user))
	p.hold("c")
	p.held("c", namespaces/2+2)
}
