// Package clusterprojection is what the spine has to know of the cluster-wide kind: which namespaces get a copy, when
// that changes, and how its status counts them.
package clusterprojection

import (
	"maps"
	"slices"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/watch"
)

// +kubebuilder:rbac:groups=projection.sh,resources=clusterprojections,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=projection.sh,resources=clusterprojections/status,verbs=update
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch

// Adapter returns what the projector has to know of ClusterProjections.
func Adapter(namespaces *Namespaces) projector.Adapter[*v1.ClusterProjection] {
	return projector.Adapter[*v1.ClusterProjection]{
		Kind:          owner.ClusterProjection,
		New:           func() *v1.ClusterProjection { return &v1.ClusterProjection{} },
		NewList:       func() client.ObjectList { return &v1.ClusterProjectionList{} },
		NewTargetList: func() client.ObjectList { return watch.NewNamespaceList() },
		Spec:          SpecOf,
		HasClusters:   func(rule *v1.ClusterProjection) bool { return rule.Spec.Destination.Clusters != nil },
		Targets:       namespaces.Targets,
		Unmatched:     namespaces.Unmatched,
		StillTarget:   namespaces.StillTarget,
		Dropped:       namespaces.Dropped,
		Rollout: projector.RolloutAdapter[*v1.ClusterProjection]{
			WaveOf:     namespaces.WaveOf,
			Status:     func(rule *v1.ClusterProjection) **v1.RolloutStatus { return &rule.Status.Rollout },
			NotHealthy: notHealthy,
			IsProgress: isProgress,
		},
		Status: func(rule *v1.ClusterProjection) any { return rule.Status },
		Report: reportStatus,
		Counted: func(rule *v1.ClusterProjection) metrics.Copies {
			count := func(copies *int32) int { return int(ptr.Deref(copies, 0)) }
			status := rule.Status
			return metrics.Copies{
				InSync: count(status.NamespacesWritten), Failed: count(status.NamespacesFailed), Held: count(status.NamespacesHeld),
				Skipped: count(status.NamespacesSkipped),
			}
		},
		Failures: func(rule *v1.ClusterProjection) []v1.NamespaceFailure {
			return rule.Status.Failures
		},
	}
}

// SpecOf returns what the rule asks for.
func SpecOf(rule *v1.ClusterProjection) owner.Spec {
	return owner.Spec{
		Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
		NameExpression: rule.GetNameExpression(),
		Merge:          rule.GetMerge(),
		Account:        rule.GetServiceAccount(),
		Policy:         rule.GetPolicy(),
		Suspended:      rule.Spec.Suspend,
		Rollout:        rule.Spec.Rollout,
	}
}

// reportStatus counts the targets and the namespaces that are skipped, and names as many failures as the status holds. Outcomes are in the order
// of namespaces. A status that lacks the field for a number gets none: the API server drops the field, and every reconcile would write it again.
func reportStatus(rule *v1.ClusterProjection, outcomes []destination.Outcome, skipped int, has func(field string) bool) {
	rule.Status.Clusters, rule.Status.ClusterFailures = nil, nil
	mayHold := mayHold(rule)
	if !mayHold {
		rule.Status.NamespacesHeld = nil
	}
	if outcomes == nil {
		return
	}
	rule.Status.FailureReasons = nil
	if has("failureReasons") {
		rule.Status.FailureReasons = countReasons(outcomes)
	}
	var targeted, written, failed, held int32
	rule.Status.Failures = nil
	for _, outcome := range outcomes {
		if outcome.Skipped {
			skipped++
			continue
		}
		targeted++
		switch {
		case outcome.IsInSync():
			written++
		case outcome.Held != destination.Unchanged:
			held++
		}
		if !outcome.Failed() {
			continue
		}
		failed++
		if len(rule.Status.Failures) < v1.MaxFailures {
			rule.Status.Failures = append(rule.Status.Failures, v1.NamespaceFailure{
				Namespace: outcome.Place.Namespace, Reason: outcome.Reason, Message: outcome.Message,
			})
		}
	}
	rule.Status.NamespacesSkipped = nil
	if skipped > 0 && has("namespacesSkipped") {
		rule.Status.NamespacesSkipped = new(int32(skipped)) //nolint:gosec // there are not that many namespaces
	}
	rule.Status.NamespacesWritten, rule.Status.NamespacesFailed = new(written), new(failed)
	if mayHold {
		rule.Status.NamespacesHeld = new(held)
	}
	if has("namespacesTargeted") {
		rule.Status.NamespacesTargeted = new(targeted)
	}
}

// countReasons counts the failed copies by reason, in alphabetical order: the status does not change while the counts stay.
func countReasons(outcomes []destination.Outcome) []v1.ReasonCount {
	counts := map[string]int32{}
	for _, outcome := range outcomes {
		if outcome.Failed() {
			counts[outcome.Reason]++
		}
	}
	var reasons []v1.ReasonCount
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		reasons = append(reasons, v1.ReasonCount{Reason: reason, Count: counts[reason]})
	}
	return reasons[:min(len(reasons), v1.MaxFailureReasons)]
}

// mayHold reports whether copies of the rule can wait: to be resumed, or for their turn.
func mayHold(rule *v1.ClusterProjection) bool {
	return (rule.Spec.Suspend || rule.Spec.Rollout != nil) && rule.DeletionTimestamp.IsZero()
}
