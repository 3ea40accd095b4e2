package clusterprojection

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// waves are the selectors of the waves of a rollout.
type waves []labels.Selector

// wavesOf returns the waves of a rule. A selector that cannot be read selects nothing; the API server admits none.
func wavesOf(rule *v1.ClusterProjection) waves {
	if rule.Spec.Rollout == nil {
		return nil
	}
	selectors := make(waves, len(rule.Spec.Rollout.Waves))
	for i := range rule.Spec.Rollout.Waves {
		selector, err := metav1.LabelSelectorAsSelector(rule.Spec.Rollout.Waves[i].NamespaceSelector.LabelSelector())
		if err != nil {
			selector = labels.Nothing()
		}
		selectors[i] = selector
	}
	return selectors
}

// of returns the number of the wave that a namespace with these labels belongs to, from 0. What no wave selects belongs to one more.
func (w waves) of(namespace map[string]string) int {
	if wave := slices.IndexFunc(w, func(s labels.Selector) bool { return s.Matches(labels.Set(namespace)) }); wave >= 0 {
		return wave
	}
	return len(w)
}

// WaveOf returns a function that returns the number of the wave of a namespace, from 0. A namespace that the cache does not know belongs to
// the last one.
func (n *Namespaces) WaveOf(ctx context.Context, rule *v1.ClusterProjection) func(namespace string) int {
	selectors := wavesOf(rule)
	return func(name string) int {
		if len(selectors) == 0 {
			return 0
		}
		found, known, err := watch.NamespaceLabels(ctx, n.reader, name)
		if err != nil || !known {
			return len(selectors)
		}
		return selectors.of(found)
	}
}

// notHealthy returns how many copies the status reports as not healthy.
func notHealthy(rule *v1.ClusterProjection) int {
	for _, counted := range rule.Status.FailureReasons {
		if counted.Reason == v1.ReasonDestinationNotHealthy {
			return int(counted.Count)
		}
	}
	return 0
}

// isProgress reports whether copies wait in a rollout, or are not healthy, before and after, and the statuses differ only in how many.
func isProgress(before, after *v1.ClusterProjection) bool {
	was, is := before.Status.DeepCopy(), after.Status.DeepCopy()
	for _, status := range []*v1.ClusterProjectionStatus{was, is} {
		written := meta.FindStatusCondition(status.Conditions, v1.ConditionDestinationWritten)
		isUnhealthy := written != nil && written.Reason == v1.ReasonDestinationNotHealthy
		if status.Rollout == nil || status.Rollout.Wave == 0 && !isUnhealthy {
			return false
		}
		status.NamespacesWritten, status.NamespacesHeld = nil, nil
		if isUnhealthy {
			status.NamespacesFailed, status.FailureReasons, status.Failures = nil, nil, nil
		}
		if status.DestinationNames != nil {
			status.DestinationNames = new(int32(0))
		}
		for i := range status.Conditions {
			status.Conditions[i].Message = ""
		}
	}
	return equality.Semantic.DeepEqual(was, is)
}
