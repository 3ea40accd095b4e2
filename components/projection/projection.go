// Package projection is what the spine has to know of the namespaced kind: a Projection has one copy, in its own namespace.
package projection

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/watch"
)

// +kubebuilder:rbac:groups=projection.sh,resources=projections,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=projection.sh,resources=projections/status,verbs=update

// Adapter returns what the projector has to know of Projections. The function reports whether a rule goes with its namespace, which is being
// deleted.
func Adapter(isEnding func(context.Context, *v1.Projection) bool) projector.Adapter[*v1.Projection] {
	return projector.Adapter[*v1.Projection]{
		Kind:    owner.Projection,
		New:     func() *v1.Projection { return &v1.Projection{} },
		NewList: func() client.ObjectList { return &v1.ProjectionList{} },
		Spec: func(rule *v1.Projection) owner.Spec {
			return owner.Spec{
				Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
				Account: rule.GetServiceAccount(),
				Policy:  rule.GetPolicy(),
			}
		},
		Targets: func(_ context.Context, rule *v1.Projection) ([]plan.Target, error) {
			return []plan.Target{{Namespace: rule.Namespace}}, nil
		},
		NewTargetList: func() client.ObjectList { return watch.NewNamespaceList() },
		IsEnding:      isEnding,
		Status:        func(rule *v1.Projection) any { return rule.Status },
		Report:        func(*v1.Projection, []destination.Outcome, int, func(string) bool) {},
	}
}
