package reach

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/remotecluster"
)

// TestWhatEnqueuesTheRulesOfACluster has a cluster be reached and not, and looks how often its rules are enqueued.
func TestWhatEnqueuesTheRulesOfACluster(t *testing.T) {
	member, other, began := &remotecluster.Member{}, &remotecluster.Member{}, time.Now()
	at := func(seconds int, of seen) seen {
		of.since = began.Add(time.Duration(seconds) * time.Second)
		return of
	}
	reached, away := seen{member: member, isReached: true}, seen{member: member}
	for name, test := range map[string]struct {
		seen    []seen // one after another, a second between them
		atOnce  int
		inTotal int
	}{
		"reached":                               {[]seen{reached}, 1, 1},
		"nothing new":                           {[]seen{reached, reached}, 1, 1},
		"away":                                  {[]seen{away}, 1, 2},
		"away for a moment":                     {[]seen{away, reached}, 2, 2},
		"away again":                            {[]seen{at(0, away), at(1, reached), at(2, away)}, 3, 4},
		"away again, of which one is unseen":    {[]seen{at(0, away), at(2, away)}, 2, 3},
		"reached again, of which one is unseen": {[]seen{at(0, reached), at(2, reached)}, 2, 2},
		"deleted":                               {[]seen{away, {}}, 2, 2},
		"exchanged":                             {[]seen{reached, {member: other, isReached: true}}, 2, 2},
		"another cluster":                       {[]seen{away, {member: member, isAnother: true}}, 2, 3},
		"declared otherwise":                    {[]seen{reached, {member: member, isReached: true, generation: 2}}, 2, 2},
		"labelled otherwise":                    {[]seen{reached, {member: member, isReached: true, labels: "a=b"}}, 2, 2},
		"declared again":                        {[]seen{reached, {member: member, isReached: true, uid: "b"}}, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var enqueued atomic.Int32
				var next seen
				c := &observer{
					ctx: t.Context(), seen: map[string]seen{}, look: func(string) seen { return next }, clock: clock.RealClock{},
					changed: func(string) { enqueued.Add(1) },
				}
				for _, next = range test.seen {
					c.notice("eu-1")
					<-time.After(time.Second)
				}
				assert.EqualValues(t, test.atOnce, enqueued.Load())
				<-time.After(2 * Patience)
				synctest.Wait()
				assert.EqualValues(t, test.inTotal, enqueued.Load())
			})
		})
	}
}

// TestNothingIsKeptOfAClusterThatIsNotDeclared has RemoteClusters come and go.
func TestNothingIsKeptOfAClusterThatIsNotDeclared(t *testing.T) {
	next := seen{uid: "a"}
	c := &observer{
		ctx: t.Context(), seen: map[string]seen{}, look: func(string) seen { return next }, clock: clock.RealClock{}, changed: func(string) {},
	}
	c.notice("eu-1")
	next = seen{}
	c.notice("eu-1")
	assert.Empty(t, c.seen)
}
