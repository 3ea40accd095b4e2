package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

func storageOf(t *testing.T, storage string) string {
	t.Helper()
	address, err := env.AddressOf(storage)
	require.NoError(t, err)
	return address
}

// isOrdinary reports whether the object has none of the marks of the hub.
func isOrdinary(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[v1.AnnotationOwnedByRemote] == "" && len(object.GetLabels()) == 0
}

// TestCopiesAreRetainedInMembers has rules retain copies in other clusters, for each of the causes.
func TestCopiesAreRetainedInMembers(t *testing.T) {
	for cause, end := range map[v1.RetainCause]func(p *pushing, source *unstructured.Unstructured, rule *v1.ClusterProjection){
		v1.RetainRuleDeleted: func(p *pushing, _ *unstructured.Unstructured, rule *v1.ClusterProjection) {
			p.Delete(rule)
			p.World.Gone(rule)
		},
		v1.RetainTargetDropped: func(p *pushing, _ *unstructured.Unstructured, rule *v1.ClusterProjection) {
			p.Merge(rule, `{"spec": {"destination": {"clusters": {"names": ["west"]}, "namespaces": ["default"]}}}`)
		},
	} {
		t.Run(string(cause), func(t *testing.T) {
			p := newPushing(t)
			source := p.World.Create(consenting)
			rule := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Policy.Retain = []v1.RetainCause{cause} })
			p.Ready(rule)
			end(p, source, rule)
			for _, member := range p.pair() {
				member.Exists(source, p.Away, source.GetName(), isOrdinary)
				assert.True(t, colorIs(member.holds(source, "red"), "red"))
			}
		})
	}
	t.Run(string(v1.RetainSourceGone), func(t *testing.T) {
		p := newPushing(t)
		source := p.World.Create(consenting)
		rule := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Policy.Retain = []v1.RetainCause{v1.RetainSourceGone} })
		p.Ready(rule)
		p.Delete(source)
		p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
		p.requestsDuring(func() {})
		p.both(source, "red")
		source = p.World.Create(consenting)
		p.Merge(source, `{"data": {"color": "blue"}}`)
		p.both(source, "blue")
		p.Ready(rule)
	})
}

// TestSuspendedRuleWritesNothingElsewhere suspends a rule, changes its source and its copies, and resumes it. Then it is suspended and deleted.
func TestSuspendedRuleWritesNothingElsewhere(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	p.Merge(rule, `{"spec": {"suspend": true}}`)
	p.Ready(rule)
	atEast, atWest := fixture.Mark(t, east), fixture.Mark(t, west)
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
	p.requestsDuring(func() {})
	assert.Empty(t, p.east.writesSince(atEast))
	assert.Empty(t, p.west.writesSince(atWest))
	p.Merge(rule, `{"spec": {"suspend": false}}`)
	p.both(source, "blue")
	p.Ready(rule)
	p.Merge(rule, `{"spec": {"suspend": true}}`)
	p.Delete(rule)
	p.World.Gone(rule)
	p.east.lacks(source)
	p.west.lacks(source)
}

// TestRuleIsSuspendedFromTheBeginning has a rule say what it would do.
func TestRuleIsSuspendedFromTheBeginning(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Suspend = true })
	condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
	assert.Equal(t, "in the cluster east, suspended: would create 1; none is in sync; in the cluster west, suspended: would create 1; none is in sync", condition.Message)
	assert.Equal(t, &v1.ClusterCounts{Targeted: 2}, rule.Status.Clusters, "nothing has failed")
	assert.Empty(t, rule.Status.ClusterFailures)
	assert.Empty(t, rule.Finalizers)
	for _, member := range p.pair() {
		_, err := member.World.Get(source, p.Away, "settings")
		require.Error(t, err)
	}
	p.Merge(rule, `{"spec": {"suspend": false}}`)
	p.both(source, "red")
	p.Ready(rule)
}

// TestOptOutWhileAWriteIsUnderWay has the owner opt out while the write of a copy is held in the network.
func TestOptOutWhileAWriteIsUnderWay(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	p.east.Relay.Stall()
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.west.holds(source, "blue")
	p.Merge(source, `{"metadata": {"annotations": {"projection.sh/exportable": "false"}}}`)
	p.west.lacks(source)
	p.east.Relay.Resume()
	p.east.lacks(source)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)
	p.Delete(rule)
	p.World.Gone(rule)
}

// TestHubIsAmongTheClusters has a RemoteCluster that is the hub itself be one of the clusters of a rule.
func TestHubIsAmongTheClusters(t *testing.T) {
	p := newPushing(t)
	own := p.World.Create(`{apiVersion: projection.sh/v1alpha1, kind: RemoteCluster, metadata: {name: here}, spec: {access: {inCluster: {}}}}`)
	t.Cleanup(func() { p.Delete(own) })
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Clusters.Names = []v1.ClusterName{"here", "east"}
	})
	p.Ready(rule)
	here := &place{World: p.World, namespace: p.Away}
	copied := here.holds(source, "red")
	assert.Equal(t, rule.Name, copied.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
	assert.Empty(t, copied.GetAnnotations()[v1.AnnotationOwnedByRemote])
	p.east.holds(source, "red")
	assert.Equal(t, int32(2), *rule.Status.NamespacesWritten)
	assert.Contains(t, p.recorded(rule), "here="+p.hubID())
	mark := fixture.Mark(t, hub)
	p.Merge(rule, `{"spec": {"destination": {"clusters": null}}}`)
	p.east.lacks(source)
	p.Ready(rule)
	p.World.Settles(hub, operatorUser)
	for _, request := range fixture.RequestsSince(t, hub, mark, operatorUser) {
		assert.False(t, request.Resource == "configmaps" && (request.Verb == "patch" || request.Verb == "delete"), "the copy here need not change: %v", request)
	}
	p.Delete(own)
	here.holds(source, "red")
}

// TestSourceOfAnotherClusterGoesOn copies an object of one cluster into both.
func TestSourceOfAnotherClusterGoesOn(t *testing.T) {
	p := newPushing(t)
	origin := p.east.World.Namespace("origin", nil)
	source := p.east.World.Object(consenting)
	source.SetNamespace(origin)
	require.NoError(t, p.east.World.Client.Create(t.Context(), source))
	rule := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Source.Cluster = "east" })
	p.Ready(rule)
	p.both(source, "red")
	p.east.World.Merge(source, `{"data": {"color": "blue"}}`)
	p.both(source, "blue")
	p.east.cut()
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterUnreachable)
	assert.Equal(t, int32(2), *rule.Status.NamespacesTargeted, "they are not counted twice")
	p.both(source, "blue")
	p.east.World.Merge(source, `{"data": {"color": "green"}}`)
	p.east.heal()
	p.both(source, "green")
	p.Ready(rule)
	p.east.World.Merge(source, `{"metadata": {"annotations": {"projection.sh/exportable": null}}}`)
	p.east.lacks(source)
	p.west.lacks(source)
	p.Delete(rule)
	p.World.Gone(rule)
}

// TestRuleThatChangesWhileItsSourceMayNotBeReadIsCarriedOutLater has the cluster of the source permit no reads while the rule gets another name for its
// copies.
func TestRuleThatChangesWhileItsSourceMayNotBeReadIsCarriedOutLater(t *testing.T) {
	p := newPushing(t)
	origin := p.west.World.Namespace("origin", nil)
	source := p.west.World.Object(consenting)
	source.SetNamespace(origin)
	require.NoError(t, p.west.World.Client.Create(t.Context(), source))
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Source.Cluster, rule.Spec.Destination.Clusters.Names = "west", []v1.ClusterName{"east"}
	})
	p.Ready(rule)
	p.east.holds(source, "red")
	permit := func(directions ...v1alpha1.Direction) {
		p.west.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.Scope.Directions = directions })
	}
	permit(v1alpha1.Push)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterNotPermitted)
	p.Merge(rule, `{"spec": {"destination": {"name": "renamed"}}}`)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterNotPermitted)
	p.Settles(hub, operatorUser)
	p.east.holds(source, "red")
	permit(v1alpha1.Push, v1alpha1.Pull)
	renamed := source.DeepCopy()
	renamed.SetName("renamed")
	p.east.holds(renamed, "red")
	p.east.lacks(source)
	p.Ready(rule)
}
