package projector

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
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
	b := newBench(t)
	c := &behind{cached: counting("1", 2)}
	b.parts.Client = c
	report := func(copies int32) {
		p := b.pass(b.latest.of(c.cached.DeepCopy()))
		p.rule.Status.NamespacesWritten = new(copies)
		require.NoError(t, p.flush(t.Context()))
	}

	report(1) // a namespace went
	report(2) // and came back before the cache knew
	require.Len(t, c.served, 2)
	assert.Equal(t, counting("3", 2), c.served[1])

	report(2)
	assert.Len(t, c.served, 2, "nothing changed")
	c.cached = c.served[1]
	report(2)
	assert.Empty(t, b.latest.written, "the cache has caught up")
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
			l := newLatest[*v1.ClusterProjection]()
			if test.written != "" {
				l.wrote(t.Context(), &behind{cached: counting("1", 0)}, counting(test.written, 1))
			}
			assert.Equal(t, test.newest, l.of(counting(test.cached, 0)).ResourceVersion)
		})
	}
}

func TestLatestOfARuleThatIsGoneIsForgotten(t *testing.T) {
	b := newBench(t)
	b.latest.wrote(t.Context(), &behind{cached: counting("1", 0)}, counting("2", 0))
	b.forget(ruleKey)
	assert.Empty(t, b.latest.written)
}
