package scale_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// TestThousandsOfFailuresAreCounted has a rule list 5,000 namespaces: in five of them is a foreign object, and the others do not exist.
func TestThousandsOfFailuresAreCounted(t *testing.T) {
	const blocked = 5
	w := newWorld(t)
	names := make([]string, targets)
	for i := range names {
		names[i] = fmt.Sprintf("failing-%04d", i)
	}
	for i := range blocked {
		name := names[i*targets/blocked]
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		w.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "failing"}})
	}
	source := w.source("failing")
	var rule *v1.ClusterProjection
	requests := w.requests(func() {
		rule = w.fanOut(source, v1.ClusterProjectionDestination{Namespaces: names})
		w.counts(rule, 0, targets)
	})
	assert.Equal(t, []v1.ReasonCount{
		{Reason: v1.ReasonDestinationConflict, Count: blocked}, {Reason: v1.ReasonDestinationCreateFailed, Count: targets - blocked},
	}, rule.Status.FailureReasons)
	assert.Len(t, rule.Status.Failures, v1.MaxFailures)
	written := 0
	for _, request := range requests {
		if request.Name == rule.Name && request.Subresource == "status" {
			written++
		}
	}
	assert.Equal(t, 1, written)
	status, err := json.Marshal(rule.Status)
	require.NoError(t, err)
	assert.Less(t, len(status), 16<<10)

	requests = w.requests(func() { w.Merge(source, `{"metadata":{"annotations":{"note":"another reconcile"}}}`) })
	assert.Equal(t, 1, count(named(requests, source.Name), "get", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "update", "clusterprojections"), "the status is the same: %v", requests)
}
