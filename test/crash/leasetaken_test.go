package crash_test

import (
	"net/http"
	"slices"
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

const (
	// copyDelay is how long a copy is on its way to the API server, and leaseDelay a request of the leader about its lease.
	copyDelay, leaseDelay = 800 * time.Millisecond, 250 * time.Millisecond
	// underWay is how many copies of one rule are written at a time: those may arrive, however long it takes.
	underWay = 16
)

// TestLeaseTakenInTheMiddleOfAFanOut takes the lease from a leader that has most of its copies still to write. It writes none once the API
// server has told it that somebody else holds the lease.
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
			const namespaces = 120
			p := newPair(t, "taken-"+strings.ReplaceAll(name, " ", "-"))
			p.crowd(namespaces)
			p.settles()
			slow := faults.Rule{Verbs: []string{"patch"}, Resources: []string{"configmaps"}, Fault: faults.Slow, Delay: copyDelay}
			p.second.proxy.Set(slow)
			p.first.proxy.Set(slow, faults.Rule{Resources: []string{"leases"}, Fault: faults.Slow, Delay: leaseDelay})

			mark := fixture.Mark(t, cluster)
			p.editSource(`{"data":{"color":"blue"}}`)
			require.Eventually(t, func() bool { return len(p.copiesWritten(mark, p.first)) > 0 }, timeout, interval)
			take(p)
			require.Less(t, len(p.copiesWritten(mark, p.first)), namespaces/2, "the fan-out is under way")
			p.restoreNamespaceOfLease()
			p.settles()
			p.first.proxy.Clear()
			p.second.proxy.Clear()
			p.editSource(`{"data":{"color":"green"}}`)
			p.settles()

			byFirst, bySecond := p.copiesWritten(mark, p.first), p.copiesWritten(mark, p.second)
			told, isTold := p.toldOfSuccessor(mark)
			t.Logf("the first wrote %d copies, the second %d; the first was told that another one leads: %t", len(byFirst), len(bySecond), isTold)
			if isTold {
				assert.LessOrEqual(t, receivedAfter(told, byFirst), underWay, "the first goes on after it was told")
			}
			if len(bySecond) > 0 {
				assert.LessOrEqual(t, receivedAfter(bySecond[0].Received, byFirst), underWay, "the first goes on while the second writes")
			}
		})
	}
}

// receivedAfter returns how many of the requests have arrived after that time.
func receivedAfter(late time.Time, requests []env.Request) int {
	count := 0
	for _, request := range requests {
		if request.Received.After(late) {
			count++
		}
	}
	return count
}

// lease returns the lease of the managers.
func (p *pair) lease() *coordinationv1.Lease {
	p.T.Helper()
	var leases coordinationv1.LeaseList
	require.NoError(p.T, p.Client.List(p.T.Context(), &leases, client.InNamespace(p.name("leases"))))
	require.Len(p.T, leases.Items, 1)
	return &leases.Items[0]
}

// copiesWritten returns the writes of copies by the replica since the mark that succeeded, in the order in which they arrived.
func (p *pair) copiesWritten(mark env.AuditMark, by replicaProcess) []env.Request {
	p.T.Helper()
	requests := slices.DeleteFunc(fixture.RequestsSince(p.T, cluster, mark, by.user), func(r env.Request) bool {
		return !isWrite(r) || r.Resource != "configmaps" || r.Code >= http.StatusMultipleChoices
	})
	slices.SortFunc(requests, func(a, b env.Request) int { return a.Received.Compare(b.Received) })
	return requests
}

// toldOfSuccessor returns when the first read a lease that the second or somebody else had taken.
func (p *pair) toldOfSuccessor(mark env.AuditMark) (time.Time, bool) {
	p.T.Helper()
	var refused time.Time // the first renewal that failed
	for _, request := range fixture.RequestsSince(p.T, cluster, mark, p.first.user) {
		election := request.Resource == "leases" && request.Namespace == p.name("leases")
		switch {
		case election && request.Verb == "update" && request.Code == http.StatusConflict && refused.IsZero():
			refused = request.Received
		case election && request.Verb == "get" && request.Code == http.StatusOK && !refused.IsZero():
			return request.Received, true
		}
	}
	return time.Time{}, false
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
