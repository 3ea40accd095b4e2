package push_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/remotes"
)

// says waits until the function holds for the RemoteCluster.
func (p *pushing) says(remote *remotes.Remote, holds func(*v1alpha1.RemoteCluster) bool, message string) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		now := remote.Get()
		assert.True(c, holds(now), "%s: %+v %v", message, now.Status, now.Finalizers)
	}, env.Timeout, env.Interval)
}

// ends waits until the RemoteCluster is gone.
func (p *pushing) ends(remote *remotes.Remote) {
	p.T.Helper()
	reader := p.reader()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		left := &v1alpha1.RemoteCluster{}
		err := reader.Get(p.T.Context(), client.ObjectKey{Name: remote.Name}, left)
		assert.True(c, apierrors.IsNotFound(err), "%v %+v", err, left.Status.Conditions)
	}, env.Timeout, env.Interval)
}

// reader returns a client that knows RemoteClusters.
func (p *pushing) reader() client.Client {
	p.T.Helper()
	scheme := fixture.Client(p.T, hub.Config).Scheme()
	require.NoError(p.T, v1alpha1.AddToScheme(scheme))
	reader, err := client.New(hub.Config, client.Options{Scheme: scheme})
	require.NoError(p.T, err)
	return reader
}

// event waits for an event with the reason about the object of that name whose note contains a text, and returns its note.
func (p *pushing) event(about, reason, text string) (note string) {
	p.T.Helper()
	client := kubernetes.NewForConfigOrDie(hub.Config).EventsV1().Events(metav1.NamespaceAll)
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		list, err := client.List(p.T.Context(), metav1.ListOptions{FieldSelector: "reason=" + reason})
		require.NoError(c, err)
		var found []eventsv1.Event
		for _, event := range list.Items {
			if event.Regarding.Name == about && strings.Contains(event.Note, text) {
				found = append(found, event)
			}
		}
		require.NotEmpty(c, found)
		note = found[len(found)-1].Note
	}, env.Timeout, env.Interval)
	return note
}

// abandonEast has the rule no longer wait for the cluster in the east.
func (p *pushing) abandonEast(rule *v1.ClusterProjection) {
	p.T.Helper()
	p.Merge(rule, `{"metadata": {"annotations": {"projection.sh/abandon": "east"}}}`)
}

// isHeld reports whether the finalizer is on the RemoteCluster.
func isHeld(remote *v1alpha1.RemoteCluster) bool {
	return controllerutil.ContainsFinalizer(remote, v1.FinalizerRemoteCluster)
}

// away waits until the RemoteCluster says that it is not reached.
func (p *pushing) away(member *place) {
	p.T.Helper()
	member.cut()
	p.T.Cleanup(member.heal)
	p.says(member.Remote, func(now *v1alpha1.RemoteCluster) bool {
		return meta.IsStatusConditionFalse(now.Status.Conditions, v1alpha1.ConditionConnected)
	}, "it is away")
}

func TestRemoteClusterCountsItsRulesAndCopies(t *testing.T) {
	p := newPushing(t)
	assert.False(t, isHeld(p.east.Remote.Get()), "a RemoteCluster without copies can be deleted at once")
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	assert.True(t, isHeld(p.east.Remote.Get()))
	for _, member := range []*place{p.east, p.west} {
		p.says(member.Remote, func(now *v1alpha1.RemoteCluster) bool {
			return now.Status.Rules == 1 && now.Status.Copies == 1
		}, "one rule, one copy")
	}
	generation := p.east.Remote.Get().ResourceVersion
	asked := fixture.ReceivedDuring(t, hub, operatorUser, func() { p.Settles(hub, operatorUser) })
	for _, request := range asked {
		assert.NotContains(t, request.Resource, "remoteclusters", "nothing is asked at rest")
	}
	assert.Equal(t, generation, p.east.Remote.Get().ResourceVersion)

	p.Delete(rule)
	p.World.Gone(rule)
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return now.Status.Rules == 0 && now.Status.Copies == 0 }, "nothing is left")
}

func TestDebtIsPaidWhenTheMemberComesBack(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	id, east := p.hubID(), p.east.Remote.Get().Status.Identity

	p.away(p.east)
	p.Delete(rule)
	p.west.World.Gone(copied)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonClusterUnreachable)
	p.abandonEast(rule)
	p.World.Gone(rule)
	owed := v1alpha1.OwedCopies{UID: string(rule.UID), Identity: east, Rule: "ClusterProjection/" + rule.Name, Kinds: []string{"ConfigMap"}}
	assert.Equal(t, []v1alpha1.OwedCopies{owed}, p.east.Remote.Get().Status.Owed)
	note := p.event(rule.Name, v1.ReasonCopiesGivenUp, "no longer waits")
	assert.Contains(t, note, v1.LabelOwnedByHubPrefix+id+"="+string(rule.UID))
	assert.Contains(t, note, "status.owed of the RemoteCluster lists them")

	p.east.heal()
	p.east.World.Gone(copied)
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return len(now.Status.Owed) == 0 }, "the debt is paid")
	p.event("east", v1alpha1.ReasonDebtPaid, "deleted 1 copy that ClusterProjection/"+rule.Name+" had left there")
}

func TestDebtIsNotPaidWhilePaused(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	p.away(p.east)
	p.Delete(rule)
	p.abandonEast(rule)
	p.World.Gone(rule)
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Paused = true })
	p.east.heal()
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool {
		return meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionReady).Reason == v1alpha1.ReasonPaused
	}, "it is back, and paused")
	p.Settles(hub, operatorUser)
	_, err := p.east.World.Get(source, p.Away, "settings")
	require.NoError(t, err)
	assert.Len(t, p.east.Remote.Get().Status.Owed, 1)

	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Paused = false })
	p.east.World.Gone(copied)
}

func TestDebtOfARuleThatExistsAgainIsItsOwn(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	p.away(p.east)
	p.Delete(rule)
	p.abandonEast(rule)
	p.World.Gone(rule)
	again := p.push(source)
	p.east.heal()
	p.Ready(again)
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return len(now.Status.Owed) == 0 }, "the debt is struck off")
	now := p.east.holds(source, "red")
	assert.Equal(t, copied.GetUID(), now.GetUID(), "the object was never deleted")
	assert.Equal(t, string(again.UID), now.GetLabels()[v1.LabelOwnedByHubPrefix+p.hubID()])
}

func TestRuleIsLetGoInTheEnd(t *testing.T) {
	p := newPushing(t)
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Absence.ReleaseAfterSeconds = 8 })
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	p.away(p.east)
	deleted := time.Now()
	p.Delete(rule)
	p.World.Gone(rule)
	assert.GreaterOrEqual(t, time.Since(deleted), 7*time.Second, "it waits for as long as the RemoteCluster says")
	assert.Len(t, p.east.Remote.Get().Status.Owed, 1)
	p.event(rule.Name, v1.ReasonCopiesGivenUp, "no longer waits")
}

func TestOrphansAreShownAndLeft(t *testing.T) {
	p := newPushing(t)
	other := p.World.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $HOME, name: other,
  annotations: {projection.sh/projectable: "true", projection.sh/exportable: "true"}}, data: {color: red}}`)
	p.Ready(p.push(other, func(rule *v1.ClusterProjection) { rule.Name += "-other" }))
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return now.Status.Copies == 2 }, "both copies are counted")
	former := p.east.Remote.Get().Status.Orphans // of other tests

	// The hub is one now that never had the rule.
	p.away(p.east)
	require.NoError(t, client.IgnoreNotFound(p.Client.Delete(t.Context(), rule)))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		left := &v1.ClusterProjection{}
		if err := p.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), left); apierrors.IsNotFound(err) {
			return
		}
		left.Finalizers = nil
		_ = p.Client.Update(t.Context(), left)
		assert.Fail(c, "it is there")
	}, env.Timeout, env.Interval)
	p.east.heal()
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool {
		return now.Status.Orphans == former+1 && now.Status.Copies == 1
	}, "the orphan is counted")
	p.Settles(hub, operatorUser)
	now, err := p.east.World.Get(source, p.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, copied.GetResourceVersion(), now.GetResourceVersion(), "it is left")

	again := p.push(source)
	p.Ready(again)
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool { return now.Status.Orphans == former && now.Status.Copies == 2 }, "it was taken back")
	now = p.east.holds(source, "red")
	assert.Equal(t, copied.GetUID(), now.GetUID())
	assert.Equal(t, string(again.UID), now.GetLabels()[v1.LabelOwnedByHubPrefix+p.hubID()])
}
