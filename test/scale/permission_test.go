package scale_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestFewOfManyNamespacesArePermitted has a rule select 1,000 namespaces of which the owner of the source permits 40.
func TestFewOfManyNamespacesArePermitted(t *testing.T) {
	const selected, permitted = 1000, 40
	w := newWorld(t)
	names := make([]string, selected)
	w.each(names, func(ctx context.Context, i int) error {
		names[i] = fmt.Sprintf("selected-%04d", i)
		labels := map[string]string{"group": "selected"}
		if i < permitted {
			labels["permitted"] = "yes"
		}
		return w.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names[i], Labels: labels}})
	})
	source := w.source("permitted")
	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: permitted=yes"}}}`)
	var rule *v1.ClusterProjection
	requestsFor := func(do func()) []env.Request { return named(w.requests(do), source.Name) }
	requests := requestsFor(func() {
		rule = w.fanOut(source, v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "selected"}}})
		w.counts(rule, permitted, 0)
	})
	assert.Equal(t, permitted, count(requests, "patch", "configmaps"))
	require.NotNil(t, rule.Status.NamespacesSkipped)
	assert.Equal(t, int32(selected-permitted), *rule.Status.NamespacesSkipped)
	assert.Empty(t, requestsFor(func() {}), "a rule at rest asks for nothing")

	requests = requestsFor(func() {
		w.paintBlue(source)
		w.turnsBlue(names[permitted-1], source.Name)
	})
	assert.Equal(t, permitted, count(requests, "patch", "configmaps"))
	assert.Equal(t, 1, count(requests, "get", "configmaps"))
	requests = requestsFor(func() {
		w.Merge(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names[selected-1]}}, `{"metadata":{"labels":{"permitted":"yes"}}}`)
		w.counts(rule, permitted+1, 0)
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "update", "clusterprojections"), "%v", requests)
	requests = requestsFor(func() {
		w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: permitted=no"}}}`)
		w.counts(rule, 0, 0)
	})
	assert.Equal(t, permitted+1, count(requests, "delete", "configmaps"))
	assert.Zero(t, count(requests, "patch", "configmaps"))
}

// named returns the requests for objects of the name. An operator that has just started serves the rules of other tests as well, and asks for
// each object that is in the way of one.
func named(requests []env.Request, name string) []env.Request {
	return slices.DeleteFunc(requests, func(request env.Request) bool { return request.Name != name })
}
