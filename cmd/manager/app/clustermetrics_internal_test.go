package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
)

func TestClusterMetrics(t *testing.T) {
	remote := func(reason string, orphans int32, owed int, expire *metav1.Time) v1alpha1.RemoteCluster {
		return v1alpha1.RemoteCluster{Status: v1alpha1.RemoteClusterStatus{
			Orphans: orphans, Owed: make([]v1alpha1.OwedCopies, owed), CredentialsExpire: expire,
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionConnected, Status: metav1.ConditionUnknown, Reason: "Another"},
				{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason},
			},
		}}
	}
	at := func(unix int64) *metav1.Time { return &metav1.Time{Time: time.Unix(unix, 0)} }
	now := clusterMetrics([]v1alpha1.RemoteCluster{
		remote("Unreachable", 1, 2, nil), remote("Unreachable", 3, 0, at(9000)), remote("Paused", 0, 1, at(8000)), remote("Paused", 0, 0, at(8500)), {},
	})
	assert.Equal(t, map[metrics.Readiness]int{{Status: "False", Reason: "Unreachable"}: 2, {Status: "False", Reason: "Paused"}: 2}, now.States)
	assert.Equal(t, 4, now.Orphans)
	assert.Equal(t, 3, now.Owed)
	assert.EqualValues(t, 8000, now.CredentialsExpire.Unix())
	assert.True(t, clusterMetrics(nil).CredentialsExpire.IsZero())
}
