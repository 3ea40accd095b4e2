package crash_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
)

// underWay is how many copies of one rule are written at a time.
const underWay = 16

// TestLeaseTakenInTheMiddleOfAFanOut takes the lease from a leader that has most of its copies still to write. It begins no other write once
// it has read that somebody else holds the lease. Those that are under way may arrive, however long they take.
func TestLeaseTakenInTheMiddleOfAFanOut(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*pair){
		"deleted": func(p *pair) { require.NoError(p.T, p.Client.Delete(p.T.Context(), p.lease())) },
		"edited": func(p *pair) {
			p.patch(p.lease(), `{"spec":{"holderIdentity":"somebody"}}`)
		},
		"namespace deleted": func(p *pair) {
			p.Delete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.name("leases")}})
		},
	}
	for name, take := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, "taken-"+strings.ReplaceAll(name, " ", "-"))
			p.crowd(4 * underWay)
			p.settles()
			led, mark := p.holder(), fixture.Mark(t, cluster)
			p.first.proxy.Set(faults.Rule{Verbs: []string{"patch"}, Resources: []string{"configmaps"}, Fault: faults.Hang},
				faults.Rule{Verbs: []string{"create"}, Resources: []string{"leases"}, Fault: faults.Hang}) // it cannot create a lease that was deleted
			renewal := p.first.proxy.Hold(func(r faults.Request) bool { return r.Verb == "update" && r.Resource == "leases" })
			p.editSource(`{"data":{"color":"blue"}}`)
			// Requests that take long make room for others.
			require.Eventually(t, func() bool { return p.first.proxy.Spoiled()[faults.Hang] >= underWay }, timeout, interval)
			<-renewal.Arrived() // it cannot take the lease back before somebody else has it
			take(p)
			require.Eventually(t, func() bool { return hasEnded(p.first) || p.holder() != "" && p.holder() != led }, timeout, interval)
			renewal.Release()
			require.Eventually(t, func() bool { return hasEnded(p.first) || p.readsOfSuccessor(mark) > 1 }, timeout, interval,
				"the next read of the lease shows that the answer to the first one has arrived")
			p.restoreNamespaceOfLease()
			p.first.proxy.Clear()
			p.settles()
			p.editSource(`{"data":{"color":"green"}}`)
			p.settles()

			assert.LessOrEqual(t, p.copiesSent(mark, p.first), underWay, "the first goes on after it has read that somebody else leads")
			assert.NotZero(t, p.copiesSent(mark, p.second))
		})
	}
}

// lease returns the lease of the managers.
func (p *pair) lease() *coordinationv1.Lease {
	p.T.Helper()
	var leases coordinationv1.LeaseList
	require.NoError(p.T, p.Client.List(p.T.Context(), &leases, client.InNamespace(p.name("leases"))))
	require.Len(p.T, leases.Items, 1)
	return &leases.Items[0]
}

// copiesSent returns how many writes of copies by the replica have arrived since the mark, whatever became of them.
func (p *pair) copiesSent(mark env.AuditMark, by replicaProcess) int {
	p.T.Helper()
	count := 0
	for _, request := range fixture.RequestsSince(p.T, cluster, mark, by.user) {
		if isWrite(request) && request.Resource == "configmaps" {
			count++
		}
	}
	return count
}

// readsOfSuccessor returns how often the first has read the lease since a renewal was refused: somebody else holds it.
func (p *pair) readsOfSuccessor(mark env.AuditMark) int {
	p.T.Helper()
	refused, count := false, 0
	for _, request := range fixture.RequestsSince(p.T, cluster, mark, p.first.user) {
		switch {
		case request.Resource != "leases" || request.Namespace != p.name("leases"):
		case request.Verb == "update":
			refused = refused || request.Code == http.StatusConflict
		case request.Verb == "get" && request.Code == http.StatusOK && refused:
			count++
		}
	}
	return count
}

func hasEnded(r replicaProcess) bool {
	select {
	case <-r.Ended():
		return true
	default:
		return false
	}
}

// restoreNamespaceOfLease creates the namespace again if it is being deleted.
func (p *pair) restoreNamespaceOfLease() {
	p.T.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.name("leases")}}
	require.NoError(p.T, client.IgnoreNotFound(p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(namespace), namespace)))
	if namespace.UID != "" && namespace.DeletionTimestamp == nil {
		return
	}
	select {
	case <-p.first.Ended():
	case <-time.After(timeout):
		require.Fail(p.T, "the leader goes on without a lease")
	}
	require.Eventually(p.T, func() bool {
		return apierrors.IsNotFound(p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(namespace), namespace))
	}, timeout, interval)
	p.namespace("leases", "")
}
