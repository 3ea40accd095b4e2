package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// Sources returns what the rule asks for of each of its sources: of the one that it names, or of those that it selects, in the order of their
// names. Any error of a rule that cannot be carried out is a plan.Error, and that of a rule whose source or copies are in other clusters an
// elsewhereError.
func (f *Forecaster) Sources(ctx context.Context, rule access.Rule) ([]owner.Spec, error) {
	if err := inOtherClusters(rule); err != nil {
		return nil, err
	}
	if !rule.Spec.Selects() {
		return []owner.Spec{rule.Spec}, nil
	}
	ref := rule.Spec.Source
	kind, err := f.resolver.Resolve(ctx, ref)
	if err != nil {
		return nil, plan.Failed(v1.ConditionSourceResolved, policy.Problem{
			Reason: v1.ReasonSourceResolutionFailed, Message: "the kind of the sources is not known",
		}, err)
	}
	selector, err := plan.SelectorOf(ref)
	if err != nil {
		return nil, err
	}
	var specs []owner.Spec
	err = f.cluster.EachMetadata(ctx, kind.GroupVersionResource(), ref.Namespace, metav1.ListOptions{LabelSelector: selector.String()},
		func(object *metav1.PartialObjectMetadata) error {
			if object.DeletionTimestamp == nil && !rule.Marks(object) {
				specs = append(specs, rule.Spec.For(object.Name))
			}
			if len(specs) > v1.MaxSources {
				return plan.TooManySources(rule.Spec, "")
			}
			return nil
		})
	if _, known := errors.AsType[*plan.Error](err); known {
		return nil, err
	}
	if err != nil {
		return nil, plan.Unreadable(kind, ref, err)
	}
	slices.SortFunc(specs, func(a, b owner.Spec) int { return strings.Compare(a.Source.Name, b.Source.Name) })
	return specs, nil
}
