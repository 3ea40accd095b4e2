package app

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
)

// measureClusters returns a function that reads the gauges of the RemoteClusters from a cache.
func measureClusters(ctx context.Context, cached client.Reader) func() (metrics.Clusters, bool) {
	return func() (metrics.Clusters, bool) {
		var remotes v1alpha1.RemoteClusterList
		if err := cached.List(ctx, &remotes, client.UnsafeDisableDeepCopy); err != nil {
			log.FromContext(ctx).Error(err, "The metrics of RemoteClusters are missing")
			return metrics.Clusters{}, false
		}
		return clusterMetrics(remotes.Items), true
	}
}

// clusterMetrics counts RemoteClusters. Those without a condition Ready have just been created.
func clusterMetrics(remotes []v1alpha1.RemoteCluster) metrics.Clusters {
	of := metrics.Clusters{States: map[metrics.Readiness]int{}}
	for i := range remotes {
		status := &remotes[i].Status
		if ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady); ready != nil {
			of.States[metrics.Readiness{Status: string(ready.Status), Reason: ready.Reason}]++
		}
		of.Orphans += int(status.Orphans)
		of.Owed += len(status.Owed)
		if ends := status.CredentialsExpire; ends != nil && (of.CredentialsExpire.IsZero() || ends.Time.Before(of.CredentialsExpire)) {
			of.CredentialsExpire = ends.Time
		}
	}
	return of
}
