package push_test

import (
	"cmp"
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/killed"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
	"projection.sh/operator/test/faults"
)

var seed = flag.Uint64("seed", 0, "chooses which change follows which kill; 0: chosen by the commit")

// killedStories are what happens while an operator runs that is killed before it is done.
var killedStories = []struct {
	name string
	// given are the clusters with a copy before; none: there is no rule.
	given string
	act   func(*scene)
}{
	{"created", "", (*scene).project},
	{"widened", `["east"]`, func(s *scene) { s.targets(`["east", "west"]`) }},
	{"vetoed", `["east", "west"]`, (*scene).veto},
	{"changed", `["east", "west"]`, func(s *scene) {
		s.merge(s.source(), `{"data": {"color": "blue"}}`)
		s.merge(s.rule(), `{"spec": {"destination": {"name": "`+s.name+`-renamed", "clusters": {"names": ["west"]}}}}`)
	}},
	{"deleted", `["east", "west"]`, func(s *scene) { s.Delete(s.rule()) }},
}

// killedChanges are what happens while no operator runs.
var killedChanges = []func(*scene){
	func(*scene) {},
	func(s *scene) { s.merge(s.source(), `{"data": {"color": "green"}}`) },
	func(s *scene) { s.merge(s.rule(), `{"spec": {"destination": {"clusters": {"names": ["east"]}}}}`) },
	func(s *scene) { s.Delete(s.rule()) },
	func(s *scene) {
		s.merge(s.source(), `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
	},
	func(s *scene) {
		s.merge(s.rule(), `{"spec": {"destination": {"name": null, "clusters": {"names": ["east", "west"]}}}}`)
	},
	func(s *scene) {
		copied := s.source()
		copied.Namespace = s.east.namespace
		s.east.World.Delete(copied)
	},
}

// TestKilledAtEveryWriteAcrossClusters kills an operator right after each write of each story, in whichever cluster it is. The world changes, and the next
// operator has to reach the end that one reaches that is not killed. The story of the next scene is what that one is killed in.
func TestKilledAtEveryWriteAcrossClusters(t *testing.T) {
	p := newPushing(t)
	operators, end := p.newKilled()
	defer end()
	operators.Begin()
	chosen := cmp.Or(*seed, env.Seed())
	t.Logf("to make the same choices again: -seed=%d", chosen)
	change := int(chosen % uint64(len(killedChanges)))
	for _, story := range killedStories {
		operators.AtEveryWrite(story.name, func(name string) killed.Scene {
			change++
			return &scene{pushing: p, operators: operators, name: name, given: story.given, act: story.act, change: killedChanges[change%len(killedChanges)]}
		})
	}
}

// newKilled takes the place of the operator that all tests share. The function that it returns gives it back.
func (p *pushing) newKilled() (of *killed.Operator, end func()) {
	p.T.Helper()
	require.NoError(p.T, operator.Stop())
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(p.T, err)
	of = killed.New(p.T, func() *manager.InProcess {
		return manager.Start(config, func(o *app.Options) { o.RemoteClusters, o.LeaderElectionNamespace = true, remotes.Secrets })
	}, east, west)
	var proxies []*faults.Proxy
	for _, member := range p.pair() {
		proxy := of.Proxy(member.Cluster, remotes.User)
		proxies = append(proxies, proxy)
		member.Through(proxy)
	}
	return of, func() {
		of.Kill()
		for i, member := range p.pair() {
			member.Through(nil)
			proxies[i].Close()
		}
		_, err := start()
		require.NoError(p.T, err)
	}
}
