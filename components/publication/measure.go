package publication

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
)

// measure returns a function that reads the gauges of the PublishedResources from the cache.
func measure(ctx context.Context, cached client.Reader) func() (metrics.Publications, bool) {
	return func() (metrics.Publications, bool) {
		list := &v1alpha1.PublishedResourceList{}
		if err := cached.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			logError(ctx, err, "The metrics of PublishedResources are missing", "")
			return metrics.Publications{}, false
		}
		return measured(list.Items), true
	}
}

// measured sums up what the statuses say. A PublishedResource without a condition Ready has just been created.
func measured(resources []v1alpha1.PublishedResource) metrics.Publications {
	sum := metrics.Publications{States: map[metrics.Readiness]int{}}
	for i := range resources {
		status := &resources[i].Status
		if ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady); ready != nil {
			sum.States[metrics.Readiness{Status: string(ready.Status), Reason: ready.Reason}]++
		}
		objects := status.Objects
		sum.InSync += int(objects.InSync)
		sum.Failed += int(objects.Failed)
		sum.Pending += int(objects.Accepted - objects.InSync - objects.Failed)
	}
	return sum
}
