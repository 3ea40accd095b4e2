package projector

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/freshness"
	"projection.sh/operator/components/projector/internal/memory"
)

// behind is a client whose cache is behind what it writes.
type behind struct {
	client.Client
	cached *v1.ClusterProjection
	served []*v1.ClusterProjection // by its writes, oldest first
}

func (b *behind) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	b.cached.DeepCopyInto(into.(*v1.ClusterProjection))
	return nil
}

func (b *behind) Status() client.SubResourceWriter { return statusOf{behind: b} }

type statusOf struct {
	client.SubResourceWriter
	behind *behind
}

func (s statusOf) Update(_ context.Context, object client.Object, _ ...client.SubResourceUpdateOption) error {
	version, err := strconv.Atoi(object.GetResourceVersion())
	object.SetResourceVersion(strconv.Itoa(version + 1))
	s.behind.served = append(s.behind.served, object.DeepCopyObject().(*v1.ClusterProjection))
	return err
}

// counting is a rule that tells of so many copies, as it was written at the version.
func counting(version string, copies int32) *v1.ClusterProjection {
	rule := newRule()
	rule.ResourceVersion, rule.Status.NamespacesWritten = version, new(copies)
	return rule
}

func TestStatusThatGoesBackToWhatTheCacheStillSaysIsWritten(t *testing.T) {
	b := newFixture(t)
	c := &behind{cached: counting("1", 2)}
	b.hub.Client, b.rules.cache = c, c
	report := func(copies int32) {
		p := b.scope(b.rules.newest(b.rules.written(ruleKey), c.cached.DeepCopy()))
		p.rule.Status.NamespacesWritten = new(copies)
		require.NoError(t, p.writeStatus(t.Context()))
	}

	report(1) // a namespace went
	report(2) // and came back before the cache knew
	require.Len(t, c.served, 2)
	assert.Equal(t, counting("3", 2), c.served[1])

	report(2)
	assert.Len(t, c.served, 2, "nothing changed")
	c.cached = c.served[1]
	report(2)
	assert.Nil(t, b.memory.Drop(ruleKey).Written, "the cache has caught up")
}

// TestStatusWhoseAnswerIsLostIsNotTakenFromTheCache loses the answer to a write that was made, and goes back to what the
// cache still says.
func TestStatusWhoseAnswerIsLostIsNotTakenFromTheCache(t *testing.T) {
	b := newFixture(t)
	cached := &behind{cached: counting("1", 2)}
	live := &behind{cached: counting("2", 1)}
	b.rules = newReader(cached, live)
	b.memory = b.rules.memory
	read := func() *v1.ClusterProjection {
		rule, found, err := b.rules.get(t.Context(), ruleKey, &v1.ClusterProjection{})
		require.NoError(t, err)
		require.True(t, found)
		return rule
	}

	p := b.scope(read())
	p.rule.Status.NamespacesWritten = new(int32(1))
	b.hub.Client = statusOnly{err: assert.AnError}
	require.ErrorIs(t, p.writeStatus(t.Context()), assert.AnError)

	p = b.scope(read())
	assert.Equal(t, live.cached, p.rule)
	b.hub.Client = live
	p.rule.Status.NamespacesWritten = new(int32(2))
	require.NoError(t, p.writeStatus(t.Context()))
	assert.Equal(t, []*v1.ClusterProjection{counting("3", 2)}, live.served)

	live.cached = counting("9", 9)
	assert.Equal(t, counting("3", 2), read(), "the doubt is over")
}

// TestRuleInDoubtIsGoneWhenTheCacheSaysSo keeps the queue from asking without a pause.
func TestRuleInDoubtIsGoneWhenTheCacheSaysSo(t *testing.T) {
	gone := apierrors.NewNotFound(v1.GroupVersion.WithResource("clusterprojections").GroupResource(), "rule")
	for name, answer := range map[string]error{"gone": gone, "an API server with a problem": assert.AnError} {
		t.Run(name, func(t *testing.T) {
			l := newReader(&behind{cached: counting("1", 0)}, unreadable{err: answer})
			l.markUncertain(counting("1", 0))
			_, found, err := l.get(t.Context(), ruleKey, &v1.ClusterProjection{})
			require.ErrorIs(t, err, answer)
			assert.False(t, found)
			assert.True(t, l.isUncertain(ruleKey))

			l.cache = unreadable{err: gone}
			_, found, err = l.get(t.Context(), ruleKey, &v1.ClusterProjection{})
			require.NoError(t, err)
			assert.False(t, found)
		})
	}
}

// catching is an API server that is asked while the cache learns what it answers.
type catching struct {
	client.Reader
	cache *behind
}

func (c catching) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	c.cache.cached = counting("2", 1)
	c.cache.cached.DeepCopyInto(into.(*v1.ClusterProjection))
	return nil
}

func TestCacheThatCatchesUpMeanwhileHidesNothing(t *testing.T) {
	cache := &behind{cached: counting("1", 2)}
	l := newReader(cache, catching{cache: cache})
	l.markUncertain(counting("1", 2))
	rule, found, err := l.get(t.Context(), ruleKey, &v1.ClusterProjection{})
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, counting("2", 1), rule)
}

// unreadable answers every read with the error.
type unreadable struct {
	client.Reader
	err error
}

func (u unreadable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return u.err
}

// newReader returns a reader that remembers nothing yet.
func newReader(cache, live client.Reader) readYourWrites[*v1.ClusterProjection] {
	return readYourWrites[*v1.ClusterProjection]{cache: cache, live: live, memory: memory.NewStore()}
}

func TestLatest(t *testing.T) {
	tests := map[string]struct {
		written, cached, newest string
	}{
		"the cache is behind":                {"11", "9", "11"},
		"the cache is level":                 {"11", "11", "11"},
		"the cache is ahead":                 {"11", "12", "12"},
		"the versions cannot be compared":    {"b", "a", "a"},
		"a rule that was never written here": {"", "9", "9"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l := newReader(&behind{cached: counting("1", 0)}, nil)
			if test.written != "" {
				l.wrote(t.Context(), counting(test.written, 1))
			}
			assert.Equal(t, test.newest, l.newest(l.written(ruleKey), counting(test.cached, 0)).ResourceVersion)
		})
	}
}

// catchingUp is a cache that catches up right after a rule was read from it, and tells somebody else.
type catchingUp struct {
	behind

	next *v1.ClusterProjection
	tell func(*v1.ClusterProjection)
}

func (c *catchingUp) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	err := c.behind.Get(ctx, key, into, options...)
	if c.tell != nil {
		c.tell(c.next)
	}
	return err
}

// TestRuleIsNotOlderThanWrittenWhileTheCacheCatchesUp has an event say that the cache has what was written, right after an older rule was read from it.
func TestRuleIsNotOlderThanWrittenWhileTheCacheCatchesUp(t *testing.T) {
	c := &catchingUp{behind: behind{cached: counting("1", 0)}, next: counting("2", 1)}
	r := newReader(c, nil)
	r.wrote(t.Context(), counting("2", 1))
	c.tell = func(rule *v1.ClusterProjection) { r.forgetWritten(rule) }
	rule, found, err := r.get(t.Context(), ruleKey, &v1.ClusterProjection{})
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, "2", rule.ResourceVersion)
	assert.Nil(t, r.written(ruleKey))
}

func TestLatestOfARuleThatIsGoneIsForgotten(t *testing.T) {
	b := newFixture(t)
	b.rules = newReader(&behind{cached: counting("1", 0)}, nil)
	b.memory = b.rules.memory
	b.rules.wrote(t.Context(), counting("2", 0))
	b.rules.markUncertain(counting("2", 0))
	b.forgetRule(ruleKey)
	assert.Zero(t, b.memory.Drop(ruleKey))
}

// TestWhatWasWrittenBeforeAnOutageIsNotPreferredToTheCache has storage restored from a backup: the version that was written last is newer
// than all that the API server has, and lost.
func TestWhatWasWrittenBeforeAnOutageIsNotPreferredToTheCache(t *testing.T) {
	b := newFixture(t)
	b.rules = newReader(&behind{cached: counting("1", 0)}, nil)
	b.memory = b.rules.memory
	b.gate = &freshness.Gate{Outages: &freshness.Outages{}, Compared: b.memory.ForgetWritten}
	b.rules.wrote(t.Context(), counting("1005", 9))
	read := func() string {
		require.NoError(t, b.catchUp(t.Context()))
		rule, _, err := b.rules.get(t.Context(), ruleKey, &v1.ClusterProjection{})
		require.NoError(t, err)
		return rule.ResourceVersion
	}
	assert.Equal(t, "1005", read())
	b.gate.Outages.Note()
	assert.Equal(t, "1", read())
}
