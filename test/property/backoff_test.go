package property_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/oracle"
)

// firstPause is what passes at least between the first two tries of a write that the API server refuses. Each pause is twice as long as
// the one before.
const firstPause = 750 * time.Millisecond

// writes returns what the operator has asked to write since, in the order in which it asked. Events do not count.
func (d *driver) writes(mark env.AuditMark, since time.Time) []env.Request {
	requests := fixture.RequestsSince(d.t, d.plane, mark, d.user)
	requests = slices.DeleteFunc(requests, func(request env.Request) bool {
		read := slices.Contains([]string{"get", "list", "watch"}, request.Verb)
		return read || request.Resource == "events" || request.Received.Before(since)
	})
	slices.SortFunc(requests, func(a, b env.Request) int { return a.Received.Compare(b.Received) })
	return requests
}

// TestFailingTargetIsTriedMoreAndMoreSeldom lets a quota refuse one of three copies for a while.
func TestFailingTargetIsTriedMoreAndMoreSeldom(t *testing.T) {
	t.Parallel()
	const watched = 5 // tries, which take half a minute
	d := newStage(t, 0x5001, "n1", "n2", "n3", "n4")
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n3"), Name: "none"}}
	quota.Spec.Hard = corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
	require.NoError(t, d.client.Create(t.Context(), quota))
	require.Eventually(t, func() bool {
		return d.client.Get(t.Context(), client.ObjectKeyFromObject(quota), quota) == nil && len(quota.Status.Hard) > 0
	}, timeout, interval)
	for _, role := range []string{"n2", "n3", "n4"} {
		d.red(role)
	}
	d.source("n1", "a")
	d.options = func(o *app.Options) { o.RequeueInterval = time.Minute } // the longest pause
	d.start()
	d.fanOut("c1", "n1", "a")
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name("c1")}}
	require.Eventually(t, func() bool {
		return d.client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.NamespacesFailed != nil && *rule.Status.NamespacesFailed == 1
	}, timeout, interval)
	assert.Equal(t, v1.ReasonDestinationCreateFailed, rule.Status.Failures[0].Reason)

	mark := fixture.Mark(t, cluster)
	told := time.Now()
	var tries []env.Request
	require.Eventually(t, func() bool {
		tries = d.writes(mark, told)
		return len(tries) >= watched
	}, timeout, interval)
	pauses := make([]time.Duration, watched-1)
	for i := range pauses {
		assert.Equal(t, d.name("n3"), tries[i].Namespace, "what succeeded is left alone, and the status says nothing new: %s", tries[i])
		pauses[i] = tries[i+1].Received.Sub(tries[i].Received)
		assert.GreaterOrEqual(t, pauses[i], firstPause<<i, "the pause after try %d", i+1)
	}
	assert.Greater(t, pauses[watched-2], 2*pauses[0])
	var events eventsv1.EventList
	require.NoError(t, d.client.List(t.Context(), &events))
	warnings := slices.DeleteFunc(events.Items, func(event eventsv1.Event) bool {
		return event.Regarding.Name != rule.Name || event.Type != corev1.EventTypeWarning
	})
	if assert.Len(t, warnings, 1, "an event tells what is new") {
		assert.Nil(t, warnings[0].Series, "the failure that lasts is told once: a further event would be counted here")
	}

	require.NoError(t, d.client.Delete(t.Context(), quota))
	d.quiet()
	state, err := d.state()
	require.NoError(t, err)
	assert.Contains(t, state.Objects, oracle.PlaceOf(d.at(configMap, "n3", "a")))
}
