package publication_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/killed"
	"projection.sh/operator/test/env/manager"
)

// killedStories are what happens while an operator runs that is killed before it is done.
var killedStories = []struct {
	name  string
	given bool // whether there is an object in sync before
	act   func(*scene)
}{
	{"created", false, (*scene).order},
	{"edited", true, func(s *scene) {
		s.patchIfThere(`{"spec": {"days": 30, "secretName": "` + s.name + `-renamed"}}`)
		s.report(7)
	}},
	{"deleted", true, (*scene).cancel},
}

// killedChanges are what happens while no operator runs.
var killedChanges = []func(*scene){
	func(*scene) {},
	func(s *scene) { s.patchIfThere(`{"spec": {"days": 60}}`) },
	func(s *scene) { s.report(8) },
	(*scene).cancel,
	func(s *scene) { s.cancel(); s.order() },
	func(s *scene) {
		for _, copied := range s.copies(s.object()) {
			s.deleteIfThere(copied)
		}
	},
	func(s *scene) { s.secret(member, s.there.Home, s.name, "changed") },
}

// TestKilledAtEveryWriteOfAPublication kills an operator right after each write of each story, in whichever cluster it is. The world changes, and the
// next operator has to reach the end that one reaches that is not killed.
func TestKilledAtEveryWriteOfAPublication(t *testing.T) {
	p := newPublishing(t)
	operators, end := p.newKilled()
	defer end()
	operators.Begin()
	p.publish(withRelated)
	change := int(env.Seed() % uint64(len(killedChanges)))
	t.Logf("the changes begin with that of the number %d", change)
	for _, story := range killedStories {
		operators.AtEveryWrite(story.name, func(name string) killed.Scene {
			change++
			return &scene{publishing: p, operators: operators, name: name, given: story.given, act: story.act, change: killedChanges[change%len(killedChanges)]}
		})
	}
}

// newKilled takes the place of the operator that all tests share. The function that it returns gives it back.
func (p *publishing) newKilled() (of *killed.Operator, end func()) {
	p.T.Helper()
	require.NoError(p.T, operator.Stop())
	config, err := hub.ConfigFor(operatorUser, "system:masters")
	require.NoError(p.T, err)
	of = killed.New(p.T, func() *manager.InProcess { return manager.Start(config, withRemotes) }, member)
	proxy := of.Proxy(member, memberUser)
	p.through(proxy.Config().Host, proxy.Config().CAData)
	return of, func() {
		of.Kill()
		p.through(member.Config.Host, nil)
		proxy.Close()
		_, err := start()
		require.NoError(p.T, err)
	}
}

// through has the operator reach the member at the host, which has the authority; nil: its own.
func (p *publishing) through(host string, authority []byte) {
	p.T.Helper()
	address, err := env.AddressOf(host)
	require.NoError(p.T, err)
	p.trusted = authority
	p.relay.Switch(address)
	p.setKubeconfig()
}
