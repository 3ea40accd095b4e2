package property_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/oracle"
)

// TestCircleThatALabelClosesEndsWithItsSource deletes the source of two copies, and has a label rename the second one to the place of the source
// while the rule of the first one is suspended.
func TestCircleThatALabelClosesEndsWithItsSource(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x4007, "n1", "n2")
	d.interpose()
	d.options = func(o *app.Options) { o.SourceMode = "permissive" }
	d.start()
	d.mirror("n2", "n1", "")
	back := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n1"), Name: "p1", Labels: d.labels()}}
	back.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name("n2"), Name: "a"}
	back.Spec.Destination.NameExpression = "target.labels[?'called'].orValue('b')"
	d.source("n1", "a")
	require.NoError(t, d.client.Create(t.Context(), back))
	d.silent()
	require.Equal(t, 3, d.objects())

	first, there := d.at(configMap, "n1", "a"), &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n2"), Name: "p1"}}
	require.NoError(t, d.patch(there, `{"spec":{"suspend":true}}`))
	d.silent()
	require.NoError(t, d.client.Delete(t.Context(), first))
	delete(d.foreign, oracle.PlaceOf(first))
	d.silent()
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n1")}}
	require.NoError(t, d.patch(home, `{"metadata":{"labels":{"called":"a"}}}`))
	require.Eventually(t, func() bool { // the rule says so, or has made the copy
		require.NoError(t, d.client.Get(t.Context(), client.ObjectKeyFromObject(back), back))
		ready := meta.FindStatusCondition(back.Status.Conditions, v1.ConditionReady)
		return ready.Reason == v1.ReasonSourceNotProjectable || back.Status.DestinationName == "a"
	}, timeout, interval)
	require.NoError(t, d.patch(there, `{"spec":{"suspend":false}}`))
	assert.Eventually(t, func() bool { return d.objects() == 0 }, endOfCircle, interval, "the copies outlive their source")
}
