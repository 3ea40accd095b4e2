package push_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

// otherUser is who the operator of the other hub is to the cluster east.
const otherUser = "projection-other-hub"

// otherHub runs an operator in the cluster west until the test ends, and has it connect to the cluster east.
func (p *pushing) otherHub(adapt ...func(*app.Options)) *pushing {
	p.T.Helper()
	config, err := west.ConfigFor(operatorUser, "system:masters")
	require.NoError(p.T, err)
	options := func(o *app.Options) { o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets }
	second, err := manager.StartReady(p.T.Context(), config, append(adapt, options)...)
	require.NoError(p.T, err)
	p.T.Cleanup(func() { require.NoError(p.T, second.Stop()) })
	other := &pushing{World: fixture.New(p.T, west.Config)}
	other.east = &place{World: p.east.World, namespace: p.Away, Remote: remotes.Declare(p.T, west, east, "east")}
	other.east.As(otherUser, "system:masters")
	return other
}

// into has a rule have the name, and copy into the namespace of the cluster east alone.
func into(name string, namespace v1.NamespaceName) func(*v1.ClusterProjection) {
	return func(rule *v1.ClusterProjection) {
		rule.Name = name
		rule.Spec.Destination.Clusters.Names, rule.Spec.Destination.Namespaces = []v1.ClusterName{"east"}, []v1.NamespaceName{namespace}
	}
}

// writesOfTheOther returns what the other hub has changed, or tried to change, in the cluster east since the mark.
func writesOfTheOther(t *testing.T, mark env.AuditMark) []env.Request {
	t.Helper()
	return slices.DeleteFunc(fixture.RequestsSince(t, east, mark, otherUser), func(request env.Request) bool {
		return request.Resource != "configmaps" || slices.Contains([]string{"get", "list", "watch"}, request.Verb)
	})
}

// leaseIsFree waits until no process holds the lease of the hub id in the cluster east. One that asks before that asks again after a minute.
func (p *pushing) leaseIsFree(hub string) {
	p.T.Helper()
	leases := kubernetes.NewForConfigOrDie(east.Config).CoordinationV1().Leases("projection-system")
	require.Eventually(p.T, func() bool {
		found, err := leases.List(context.Background(), metav1.ListOptions{})
		require.NoError(p.T, err)
		return !slices.ContainsFunc(found.Items, func(lease coordinationv1.Lease) bool {
			isOfHub := strings.HasPrefix("projection-"+strings.ReplaceAll(hub, "-", ""), lease.Name)
			return isOfHub && ptr.Deref(lease.Spec.HolderIdentity, "") != ""
		})
	}, env.Timeout, env.Interval)
}

// TestTwoHubsKeepOffEachOther has rules of two hubs, with the same name, want the same place.
func TestTwoHubsKeepOffEachOther(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	other := p.otherHub()
	theirs := other.World.Create(consenting)
	other.Merge(theirs, `{"data": {"color": "blue"}}`)

	mark := fixture.Mark(t, east)
	second := other.push(theirs, into(rule.Name, p.Away))
	assert.Contains(t, other.fails(second, v1.ReasonDestinationConflict).Message, "belongs to the ClusterProjection "+rule.Name+" of the cluster with the hub id "+p.hubID())
	other.Settles(west, operatorUser)
	for _, request := range writesOfTheOther(t, mark) {
		assert.EqualValues(t, http.StatusConflict, request.Code, request)
	}
	now := p.east.holds(source, "red")
	assert.Equal(t, copied.GetResourceVersion(), now.GetResourceVersion())

	p.Delete(rule)
	p.World.Gone(rule)
	other.Ready(second)
	assert.NotEqual(t, copied.GetUID(), p.east.holds(source, "blue").GetUID(), "the place is taken when it is free")
	again := p.push(source)
	p.fails(again, v1.ReasonDestinationConflict)
	p.east.holds(source, "blue")
}

// TestRebuiltHubTakesItsCopiesBack loses a hub, and has the same rules in another cluster.
func TestRebuiltHubTakesItsCopiesBack(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	former := p.hubID()
	require.NoError(t, operator.Stop())
	p.leaseIsFree(former)
	t.Cleanup(func() {
		p.leaseIsFree(former)
		_, err := start()
		require.NoError(t, err)
	})

	other := p.otherHub(func(o *app.Options) { o.HubID = former })
	mark := fixture.Mark(t, east)
	other.OwnNamespace(p.Home)
	same := p.World.Object(consenting)
	require.NoError(t, other.Client.Create(t.Context(), same))
	again := other.push(same, into(rule.Name, p.Away))
	other.Ready(again)
	other.Settles(west, operatorUser)
	assert.Len(t, writesOfTheOther(t, mark), 1)
	now := p.east.holds(source, "red")
	assert.Equal(t, copied.GetUID(), now.GetUID())
	assert.Equal(t, copied.GetAnnotations()[v1.AnnotationOwnedByRemote], now.GetAnnotations()[v1.AnnotationOwnedByRemote])
	assert.Equal(t, string(again.UID), now.GetLabels()[v1.LabelOwnedByHubPrefix+former])
	assert.Equal(t, copied.Object["data"], now.Object["data"])
}
