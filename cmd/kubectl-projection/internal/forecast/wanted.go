package forecast

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// Wanted returns the copy that the rule wants at the place, with all its values. Nil: it wants none, for the reason that the verdict has.
func (f *Forecaster) Wanted(ctx context.Context, rule access.Rule, at Object) (*unstructured.Unstructured, Verdict, error) {
	none := Verdict{State: NotTarget, Message: "the rule wants no copy of this kind and name here"}
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		return nil, failed, nil
	}
	if err != nil {
		return nil, none, err
	}
	for _, spec := range specs {
		found, failed, err := f.wantedOf(ctx, rule, spec, at)
		if err != nil || found != nil {
			return found, Verdict{}, err
		}
		if failed != nil {
			none = *failed
		}
	}
	return nil, none, nil
}

// isReported reports whether the operator says that the namespace lacks its copy, so that it does not exclude the namespace.
func isReported(rule access.Rule, namespace string) bool {
	object, ok := rule.Object.(*v1.ClusterProjection)
	return ok && slices.ContainsFunc(object.Status.Failures, func(failure v1.NamespaceFailure) bool { return failure.Namespace == namespace })
}

// wantedOf returns the copy that the rule wants at the place of the source that the spec names; nil: none.
func (f *Forecaster) wantedOf(ctx context.Context, rule access.Rule, spec owner.Spec, at Object) (*unstructured.Unstructured, *Verdict, error) {
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		return nil, failed, err
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return nil, nil, err
	}
	for _, target := range wanted.Targets {
		if target.Namespace != at.Namespace {
			continue
		}
		if target.Selected && !f.settings.Known && !isReported(rule, target.Namespace) {
			hidden := unknown("the operator may exclude the namespace from selectors, and its settings are not known: see --operator-namespace")
			return nil, &hidden, nil
		}
		desired, blocked := f.desire(spec, kind, target)
		if blocked != nil {
			return nil, blocked, nil
		}
		if ObjectOf(kind.GroupKind(), desired.At) != at {
			continue
		}
		resource, err := desired.Resource(nil)
		if err != nil {
			failed := unrendered(err)
			return nil, &failed, nil
		}
		object, err := resource.PreviewObject()
		return object, nil, err
	}
	return nil, nil, nil
}
