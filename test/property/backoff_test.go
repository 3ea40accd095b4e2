package property_test

import (
	"strings"
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
	"projection.sh/operator/test/oracle"
)

// TestFailingTargetIsTriedMoreAndMoreSeldom lets a quota refuse one of three copies for a while.
func TestFailingTargetIsTriedMoreAndMoreSeldom(t *testing.T) {
	t.Parallel()
	const watched = 6 * time.Second
	d := newStage(t, 0x5001, "n1", "n2", "n3", "n4")
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n3"), Name: "none"}}
	quota.Spec.Hard = corev1.ResourceList{"count/configmaps": resource.MustParse("0")}
	require.NoError(t, d.client.Create(t.Context(), quota))
	require.Eventually(t, func() bool {
		return d.client.Get(t.Context(), client.ObjectKeyFromObject(quota), quota) == nil && len(quota.Status.Hard) > 0
	}, soon, tick)
	for _, role := range []string{"n2", "n3", "n4"} {
		d.red(role)
	}
	d.source("n1", "a")
	d.start()
	d.fanOut("c1", "n1", "a")
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name("c1")}}
	require.Eventually(t, func() bool {
		return d.client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.NamespacesFailed != nil && *rule.Status.NamespacesFailed == 1
	}, soon, tick)
	assert.Equal(t, v1.ReasonDestinationCreateFailed, rule.Status.Failures[0].Reason)

	tries := 0
	for _, request := range d.requestsFor(watched) {
		if !strings.HasPrefix(request, "patch ") || strings.Contains(request, "/events/") {
			continue
		}
		assert.Contains(t, request, "/namespaces/"+d.name("n3")+"/", "what succeeded is left alone, and the status says nothing new")
		tries++
	}
	assert.LessOrEqual(t, tries, 8)
	var events eventsv1.EventList
	require.NoError(t, d.client.List(t.Context(), &events))
	failures := 0
	for _, event := range events.Items {
		if event.Regarding.Name == rule.Name && event.Type == corev1.EventTypeWarning {
			failures++
		}
	}
	assert.LessOrEqual(t, failures, 2, "an event tells what is new")

	require.NoError(t, d.client.Delete(t.Context(), quota))
	d.quiet()
	state, err := d.state()
	require.NoError(t, err)
	assert.Contains(t, state.Objects, oracle.PlaceOf(d.at(configMap, "n3", "a")))
}
