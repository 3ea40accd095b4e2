package scale_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestOrphansAreCounted leaves two copies whose rule is gone, and makes an object that names a rule which never was.
func TestOrphansAreCounted(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"left-a", "left-b"} {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	into := v1.ClusterProjectionDestination{Namespaces: []string{"left-a", "left-b"}}
	gone := w.fanOut(w.source("orphaned"), into)
	kept := w.fanOut(w.source("kept"), into)
	w.counts(gone, 2, 0)
	w.counts(kept, 2, 0)
	assert.Zero(t, orphans(t))

	require.NoError(t, w.operator.Stop())
	w.Merge(gone, `{"metadata":{"finalizers":null}}`)
	w.Delete(gone)
	w.start()
	require.Eventually(t, func() bool { return orphans(t) == 2 }, timeout, env.Interval, "somebody removed the finalizer while the operator was away")

	forged := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "left-a", Name: "forged",
		Labels:      map[string]string{v1.LabelOwnedByClusterProjectionUID: "x"},
		Annotations: map[string]string{v1.AnnotationOwnedByClusterProjection: "never-was"},
	}}
	w.create(forged)
	require.Eventually(t, func() bool { return orphans(t) == 3 }, timeout, env.Interval)

	w.Delete(forged)
	for _, namespace := range into.Namespaces {
		w.Delete(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "orphaned"}})
	}
	require.Eventually(t, func() bool { return orphans(t) == 0 }, timeout, env.Interval)
	w.Delete(kept)
	w.Gone(kept)
}

// orphans returns how many orphans of ClusterProjections the operator exports.
func orphans(t *testing.T) int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, series := range family.GetMetric() {
			if family.GetName() == "projection_orphans" && series.GetLabel()[0].GetValue() == v1.KindClusterProjection {
				return int(series.GetGauge().GetValue())
			}
		}
	}
	return -1
}
