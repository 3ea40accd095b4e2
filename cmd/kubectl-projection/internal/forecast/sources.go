package forecast

import (
	"context"
	"errors"
	"fmt"
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
// names. Any error of a rule that cannot be carried out is a plan.Error.
func (f *Forecaster) Sources(ctx context.Context, rule access.Rule) ([]owner.Spec, error) {
	if !isComputed(rule.Spec) {
		return nil, errNotComputed
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
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector.LabelSelector())
	if err != nil {
		return nil, err
	}
	var specs []owner.Spec
	err = f.cluster.EachMetadata(ctx, kind.GroupVersionResource(), ref.Namespace, metav1.ListOptions{LabelSelector: selector.String()},
		func(object *metav1.PartialObjectMetadata) error {
			isCopy := rule.Owns(object) || rule.Elsewhere(object) || object.Labels[rule.Kind.Label] == string(rule.UID)
			if object.DeletionTimestamp == nil && !isCopy {
				specs = append(specs, rule.Spec.For(object.Name))
			}
			if len(specs) > v1.MaxSources {
				return tooMany()
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

// errNotComputed says that the plugin does not compute what the rule wants.
var errNotComputed = errors.New("the rule merges objects that a selector selects, which this plugin does not compute; the operator reports its status")

// isComputed reports whether each source of the rule, and each layer, is named or becomes a copy by itself.
func isComputed(spec owner.Spec) bool {
	return !spec.MergesSelected() && !slices.ContainsFunc(spec.Merge.Layers, func(layer v1.LayerSpec) bool { return layer.Source.Selector != nil })
}

// tooMany is the error of a rule that selects more sources than it copies: the operator copies none of them.
func tooMany() error {
	return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason: v1.ReasonRuleInvalid, Message: fmt.Sprintf("source.selector matches more than %d objects; a rule copies at most that many", v1.MaxSources),
		Copies: policy.CopiesKept, Advice: "select fewer, or write several rules",
	}}
}
