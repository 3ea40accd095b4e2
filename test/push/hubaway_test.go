package push_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
	"projection.sh/operator/test/faults"
)

// behindProxy has the operator reach the cluster of the rules by way of a proxy until the test ends.
func (p *pushing) behindProxy() *faults.Proxy {
	p.T.Helper()
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(p.T, err)
	proxy, err := faults.NewProxy(config, 1)
	require.NoError(p.T, err)
	require.NoError(p.T, operator.Stop())
	p.T.Cleanup(func() {
		proxy.Up()
		restart(p.T, proxy.Close)
	})
	operator, err = manager.StartReady(context.Background(), proxy.Config(), func(o *app.Options) {
		o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets
	})
	require.NoError(p.T, err)
	return proxy
}

// at returns the object as it is named in the namespace of the copies.
func (p *place) at(like *unstructured.Unstructured) *unstructured.Unstructured {
	copied := like.DeepCopy()
	copied.SetNamespace(p.namespace)
	return copied
}

// TestHubAloneIsAway cuts off the API server of the rules, while those of the copies can be reached. Copies are changed and deleted meanwhile, a source is
// edited, and the owner of another one opts out. Nothing is written before the rules and sources can be read again.
func TestHubAloneIsAway(t *testing.T) {
	p := newPushing(t)
	edited, opted, same := p.setting("edited"), p.setting("opted"), p.setting("same")
	rule, refused, other := p.pushNamed(edited), p.pushNamed(opted), p.pushNamed(same)
	proxy := p.behindProxy()
	p.Ready(rule)
	p.Ready(refused)
	p.Ready(other)
	kept := p.west.holds(same, "red")
	p.requestsDuring(func() {})

	proxy.Down()
	atEast, atWest := fixture.Mark(t, east), fixture.Mark(t, west)
	p.Merge(edited, `{"data": {"color": "blue"}}`)
	p.Merge(opted, `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
	p.east.World.Merge(p.east.at(edited), `{"data": {"color": "drifted"}}`)
	p.east.World.Delete(p.east.at(same))
	p.west.World.Merge(p.west.at(opted), `{"data": {"color": "drifted"}}`)
	p.east.World.Settles(east, remotes.User)
	p.west.World.Settles(west, remotes.User)
	assert.Empty(t, p.east.writesSince(atEast))
	assert.Empty(t, p.west.writesSince(atWest))

	proxy.Up()
	p.both(edited, "blue")
	p.both(same, "red")
	p.east.lacks(opted)
	p.west.lacks(opted)
	p.Ready(rule)
	p.Ready(other)
	assert.Equal(t, kept.GetResourceVersion(), p.west.holds(same, "red").GetResourceVersion())
}
