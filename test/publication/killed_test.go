package publication_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
)

// killedStories are what happens while an operator runs that is killed before it is done.
var killedStories = []struct {
	name  string
	given bool // whether there is an object in sync before
	act   func(*scene)
}{
	{"created", false, (*scene).order},
	{"edited", true, func(s *scene) {
		s.change(`{"spec": {"days": 30, "secretName": "` + s.name + `-renamed"}}`)
		s.report(7)
	}},
	{"deleted", true, (*scene).cancel},
}

// killedChanges are what happens while no operator runs.
var killedChanges = []func(*scene){
	func(*scene) {},
	func(s *scene) { s.change(`{"spec": {"days": 60}}`) },
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

// maxKills is more than any story takes.
const maxKills = 25

// TestKilledAtEveryWriteOfAPublication kills an operator right after each write of each story, in whichever cluster it is. The world changes, and the
// next operator has to reach the end that one reaches that is not killed.
func TestKilledAtEveryWriteOfAPublication(t *testing.T) {
	k, end := newKilling(t)
	defer end()
	k.begin()
	k.publish(withRelated)
	seed := env.Seed()
	t.Logf("the changes begin with that of the number %d", seed%uint64(len(killedChanges)))
	change := int(seed % uint64(len(killedChanges)))
	for _, story := range killedStories {
		for write, came := 1, true; came; write++ {
			require.Less(t, write, maxKills, "the story does not end")
			s := &scene{killing: k, name: fmt.Sprintf("%s-%02d", story.name, write)}
			s.secret(member, s.there.Home, s.name, "first")
			if story.given {
				s.order()
				s.settles()
			}
			running := k.operator.Load()
			running.Arm(write, failpoint.After)
			story.act(s)
			if came = s.trips(); !came {
				t.Logf("%s takes %d writes", story.name, write-1)
				require.Greater(t, write, 2, "the story has no writes in two clusters")
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
