package push_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env/remotes"
	"projection.sh/operator/test/faults"
)

// late has a write of an operator into the cluster east arrive when a successor has done other work.
type late struct {
	*pushing

	proxy  *faults.Proxy
	source *unstructured.Unstructured
}

func newLate(t *testing.T) *late {
	t.Helper()
	config, err := east.ConfigFor(remotes.User, "system:masters")
	require.NoError(t, err)
	proxy, err := faults.NewProxy(config, 1)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	l := &late{pushing: newPushing(t), proxy: proxy}
	l.east.Through(proxy)
	l.east.Connected()
	l.source = l.World.Create(consenting)
	return l
}

// hold keeps the next apply of a copy from the cluster.
func (l *late) hold() *faults.Hold {
	return l.proxy.Hold(func(r faults.Request) bool { return r.Verb == "patch" && r.Namespace == l.east.namespace })
}

// TestLateWriteIsMadeOntoAVersionThatHasPassed has the update of a copy be under way when the operator ends. One that is frozen sends no more either.
func TestLateWriteIsMadeOntoAVersionThatHasPassed(t *testing.T) {
	l := newLate(t)
	rule := l.push(l.source)
	l.Ready(rule)
	hold := l.hold()
	l.Merge(l.source, `{"data": {"color": "blue"}}`)
	<-hold.Arrived()
	restart(t, func() {})
	l.Merge(l.source, `{"data": {"color": "green"}}`)
	now := l.east.holds(l.source, "green")
	l.Ready(rule)
	assert.Equal(t, http.StatusConflict, hold.Release())
	l.east.World.Settles(east, remotes.User)
	assert.Equal(t, now.GetResourceVersion(), l.east.holds(l.source, "green").GetResourceVersion())
}

// TestCopyThatIsCreatedTooLateThereIsRemoved has the first apply of a copy be under way likewise. It creates the copy when the rule was deleted.
func TestCopyThatIsCreatedTooLateThereIsRemoved(t *testing.T) {
	l := newLate(t)
	hold := l.hold()
	rule := l.push(l.source)
	<-hold.Arrived()
	restart(t, func() {})
	l.east.holds(l.source, "red")
	l.Ready(rule)
	l.Delete(rule)
	l.World.Gone(rule)
	l.east.World.Settles(east, remotes.User)
	require.Equal(t, http.StatusCreated, hold.Release())
	l.east.lacks(l.source)
}
