// Package clusterprojection is what the spine has to know of the cluster-wide kind: which namespaces get a copy, when
// that changes, and how its status counts them.
package clusterprojection

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
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
		Spec: func(rule *v1.ClusterProjection) owner.Spec {
			return owner.Spec{
				Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
				Account: rule.GetServiceAccount(),
				Policy:  rule.GetPolicy(),
			}
		},
		Targets:     namespaces.Targets,
		Unmatched:   namespaces.Unmatched,
		StillTarget: namespaces.StillTarget,
		Dropped:     namespaces.Dropped,
		Status:      func(rule *v1.ClusterProjection) any { return rule.Status },
		Report:      reportStatus,
		Failures: func(rule *v1.ClusterProjection) []v1.NamespaceFailure {
			return rule.Status.Failures
		},
	}
}

// reportStatus counts the targets, and names as many failures as the status holds. Outcomes are in the order of namespaces. A status that
// lacks the field for a number gets none: the API server drops the field, and every reconcile would write it again.
func reportStatus(rule *v1.ClusterProjection, outcomes []destination.Outcome, skipped int, has func(field string) bool) {
	if outcomes == nil {
		return
	}
	rule.Status.NamespacesSkipped = nil
	if skipped > 0 && has("namespacesSkipped") {
		rule.Status.NamespacesSkipped = new(int32(skipped)) //nolint:gosec // there are not that many namespaces
	}
	var targeted, written, failed int32
	rule.Status.Failures = nil
	for _, outcome := range outcomes {
		targeted++
		if !outcome.Failed() {
			if !outcome.Pending {
				written++
			}
			continue
		}
		failed++
		if len(rule.Status.Failures) < v1.MaxFailures {
			rule.Status.Failures = append(rule.Status.Failures, v1.NamespaceFailure{
				Namespace: outcome.Place.Namespace, Reason: outcome.Reason, Message: outcome.Message,
			})
		}
	}
	rule.Status.NamespacesWritten, rule.Status.NamespacesFailed = new(written), new(failed)
	if has("namespacesTargeted") {
		rule.Status.NamespacesTargeted = new(targeted)
	}
}
