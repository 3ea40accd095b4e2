package projector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/watch"
)

// TestRuleThatIsGoneKeepsNoSlot has a slot become free for a rule that was deleted while it waited.
func TestRuleThatIsGoneKeepsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFixture(t)
		b.member.Reads = lane.New[Fetched](lane.Limits{PerLane: 1, PerRule: 1, Total: 4, Slow: time.Second}, lane.ByKind, func(watch.RuleKey) {})
		read := func(name string, long time.Duration) (done bool) {
			batch := b.member.Reads.Open(watch.RuleKey{Kind: b.adapter.Kind.Name, NamespacedName: types.NamespacedName{Name: name}}, func() {})
			batch.Go(t.Context(), lane.Target{NamespacedName: in("home").NamespacedName}, func() Fetched { <-time.After(long); return Fetched{} }, func(Fetched) { done = true })
			batch.Wait(t.Context())
			return done
		}
		go read("slow", time.Minute)
		synctest.Wait()
		require.False(t, read("rule", 0), "it waits")
		<-time.After(time.Hour)
		b.forgetRule(ruleKey)
		assert.True(t, read("another", 0))
	})
}
