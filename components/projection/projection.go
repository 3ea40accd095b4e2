// Package projection is what the spine has to know of the namespaced kind: a Projection has one copy, in its own namespace.
package projection

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=list;watch

// Adapter returns what the projector has to know of Projections. The cached reader knows the namespaces by their metadata. The names are
// those of the expressions of rules. The function reports whether a rule goes with its namespace, which is being deleted.
func Adapter(
	namespaces client.Reader, names *watch.Names, isEnding func(context.Context, *v1.Projection) bool,
) projector.Adapter[*v1.Projection] {
	return projector.Adapter[*v1.Projection]{
		Kind:    owner.Projection,
		New:     func() *v1.Projection { return &v1.Projection{} },
		NewList: func() client.ObjectList { return &v1.ProjectionList{} },
		Spec: func(rule *v1.Projection) owner.Spec {
			return owner.Spec{
				Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
				NameExpression: rule.GetNameExpression(),
				Merge:          rule.GetMerge(),
				Account:        rule.GetServiceAccount(),
				Policy:         rule.GetPolicy(),
				Suspended:      rule.Spec.Suspend,
			}
		},
		Targets: func(ctx context.Context, rule *v1.Projection) ([]plan.Target, error) {
			return targets(ctx, namespaces, names, rule)
		},
		NewTargetList: func() client.ObjectList { return watch.NewNamespaceList() },
		IsEnding:      isEnding,
		Status:        func(rule *v1.Projection) any { return rule.Status },
		Report:        func(*v1.Projection, []destination.Outcome, int, func(string) bool) {},
	}
}

// targets returns the namespace of the rule. It is looked up only for a rule with an expression that names it, and that is not deleted: where
// its copy is does not depend on the namespace.
func targets(ctx context.Context, namespaces client.Reader, names *watch.Names, rule *v1.Projection) ([]plan.Target, error) {
	key := watch.RuleKey{Kind: owner.Projection.Name, NamespacedName: client.ObjectKeyFromObject(rule)}
	if !names.Of(key).Target || rule.DeletionTimestamp != nil {
		return []plan.Target{{Namespace: rule.Namespace}}, nil
	}
	namespace := watch.NewNamespace()
	err := namespaces.Get(ctx, client.ObjectKey{Name: rule.Namespace}, namespace, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	if apierrors.IsNotFound(err) {
		return []plan.Target{{Namespace: rule.Namespace, Blocked: "the namespace does not exist; the copy follows when it does"}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []plan.Target{{
		Namespace: rule.Namespace, Version: namespace.ResourceVersion, Labels: namespace.Labels, Annotations: namespace.Annotations,
	}}, nil
}
