package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// setting creates a source of that name.
func (p *pushing) setting(name string) *unstructured.Unstructured {
	p.T.Helper()
	source := p.World.Object(consenting)
	source.SetName(name)
	require.NoError(p.T, p.Client.Create(p.T.Context(), source))
	return source
}

// pushNamed is push for several rules: the rule has the name of its source besides.
func (p *pushing) pushNamed(source *unstructured.Unstructured) *v1.ClusterProjection {
	p.T.Helper()
	return p.push(source, func(rule *v1.ClusterProjection) { rule.Name += "-" + source.GetName() })
}

// TestMemberThatComesBackIsBroughtInSync cuts one cluster off. Meanwhile rules and sources change. When it is back, there are as many writes as
// differences, and no list.
func TestMemberThatComesBackIsBroughtInSync(t *testing.T) {
	p := newPushing(t)
	edited, same, ended, opted := p.setting("edited"), p.setting("same"), p.setting("ended"), p.setting("opted")
	for _, source := range []*unstructured.Unstructured{edited, same, opted} {
		p.Ready(p.pushNamed(source))
	}
	deleted := p.pushNamed(ended)
	p.Ready(deleted)
	rule := &v1.ClusterProjection{}
	rule.Name = p.Away + "-edited"

	p.east.cut()
	failure := p.fails(rule, v1.ReasonClusterUnreachable)
	assert.Contains(t, failure.Message, "the cluster east cannot be reached")
	assert.Equal(t, &v1.ClusterCounts{Targeted: 2, InSync: 1, Unreachable: 1}, rule.Status.Clusters)
	mark := fixture.Mark(t, east)
	p.Merge(edited, `{"data": {"color": "blue"}}`)
	p.west.holds(edited, "blue")
	p.Merge(edited, `{"data": {"color": "green"}}`)
	p.west.holds(edited, "green")
	p.Merge(opted, `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
	p.west.lacks(opted)
	p.Delete(deleted)
	p.west.lacks(ended)
	waits := p.Says(deleted, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonClusterUnreachable)
	assert.Contains(t, waits.Message, "the rule is being deleted, and waits for the cluster east to delete its copies there")
	made := p.setting("made")
	makes := p.pushNamed(made)
	p.west.holds(made, "red")
	assert.Contains(t, p.fails(makes, v1.ReasonClusterUnreachable).Message, "the cluster east cannot be reached")
	require.Empty(t, p.east.writesSince(mark))

	p.east.heal()
	p.east.holds(edited, "green")
	p.east.holds(made, "red")
	p.east.lacks(opted)
	p.east.lacks(ended)
	p.World.Gone(deleted)
	p.Ready(rule)
	p.Ready(makes)
	p.east.World.Settles(east, "projection-hub")
	assert.Equal(t, []string{"delete ended", "delete opted", "patch edited", "patch made"}, p.east.writesSince(mark))
	assert.Empty(t, p.east.listsSince(mark))
	p.east.holds(same, "red")
}

// TestSilentMemberDelaysNobody has one cluster take requests and answer none.
func TestSilentMemberDelaysNobody(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	p.east.Relay.Stall()
	for _, color := range []string{"blue", "green", "yellow"} {
		p.Merge(source, `{"data": {"color": "`+color+`"}}`)
		p.west.holds(source, color)
	}
	_, err := p.east.World.Get(source, p.Away, "settings")
	require.NoError(t, err)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationWriteInProgress, v1.ReasonClusterUnreachable)
	p.east.Relay.Resume()
	p.east.holds(source, "yellow")
	p.Ready(rule)
}

// TestMemberGoesAwayInAFanOut cuts one cluster off while copies are written into its namespaces.
func TestMemberGoesAwayInAFanOut(t *testing.T) {
	const count = 40
	p := newPushing(t)
	for _, member := range p.pair() {
		for range count {
			member.World.Namespace("fan", map[string]string{"fan": p.Away})
		}
	}
	source := p.World.Create(consenting)
	rule := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Spec.Destination.Namespaces = nil
		rule.Spec.Destination.NamespaceSelector = &v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"fan": p.Away}}
	})
	p.Ready(rule)
	colors := func(member *place) map[string]int {
		list, found := &unstructured.UnstructuredList{}, map[string]int{}
		list.SetAPIVersion("v1")
		list.SetKind("ConfigMapList")
		require.NoError(t, member.World.Client.List(t.Context(), list))
		for i := range list.Items {
			if list.Items[i].GetName() == source.GetName() {
				color, _, _ := unstructured.NestedString(list.Items[i].Object, "data", "color")
				found[color]++
			}
		}
		return found
	}
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.Eventually(source, func() bool { return colors(p.east)["blue"] > 0 }, "nothing is written")
	p.east.cut()
	p.Eventually(source, func() bool { return colors(p.west)["blue"] == count }, "the other cluster waits")
	left := colors(p.east)
	assert.Equal(t, count, left["red"]+left["blue"])
	p.east.heal()
	p.Eventually(source, func() bool { return colors(p.east)["blue"] == count }, "the fan-out does not go on")
	p.Ready(rule)
	assert.Equal(t, int32(2*count), *rule.Status.NamespacesWritten)
}
