package push_test

import (
	"cmp"
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
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

// maxKills is more than any story takes.
const maxKills = 25

// TestKilledAtEveryWriteAcrossClusters kills an operator right after each write of each story, in whichever cluster it is. The world changes, and the next
// operator has to reach the end that one reaches that is not killed. The story of the next scene is what that one is killed in.
func TestKilledAtEveryWriteAcrossClusters(t *testing.T) {
	k, end := newKilling(t)
	defer end()
	k.begin()
	chosen := cmp.Or(*seed, env.Seed())
	t.Logf("to make the same choices again: -seed=%d", chosen)
	change := int(chosen % uint64(len(killedChanges)))
	for _, story := range killedStories {
		for write, came := 1, true; came; write++ {
			require.Less(t, write, maxKills, "the story does not end")
			s := &scene{killing: k, name: fmt.Sprintf("%s-%02d", story.name, write)}
			s.setting(s.name)
			if story.given != "" {
				s.project()
				s.targets(story.given)
				s.settles()
			}
			running := k.operator.Load()
			running.Arm(write, failpoint.After)
			story.act(s)
			if came = s.trips(); !came {
				t.Logf("%s takes %d writes", story.name, write-1)
				require.Greater(t, write, 3, "the story has no writes in three clusters")
				continue
			}
			running.Kill()
			killedChanges[change%len(killedChanges)](s)
			change++
			k.begin()
			s.settles()
		}
	}
}
