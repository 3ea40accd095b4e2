package forecast

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// Masked stands for a value of a Secret.
const Masked = "***"

// Rendered is a copy as a rule wants it, or why it wants none.
type Rendered struct {
	Object  *unstructured.Unstructured
	Verdict Verdict
}

// Render returns the copies that the rule wants in the namespace: one for each source. Values of Secrets are masked.
func (f *Forecaster) Render(ctx context.Context, rule access.Rule, namespace string) ([]Rendered, error) {
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		failed.Source = SourceOf(rule.Spec.Source)
		return []Rendered{{Verdict: failed}}, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Rendered
	for _, spec := range specs {
		rendered, err := f.render(ctx, rule, spec, namespace)
		if err != nil {
			return nil, err
		}
		rendered.Verdict.Source = SourceOf(spec.Source)
		all = append(all, rendered)
	}
	return all, nil
}

func (f *Forecaster) render(ctx context.Context, rule access.Rule, spec owner.Spec, namespace string) (Rendered, error) {
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		return Rendered{Verdict: valueOf(failed)}, err
	}
	i := slices.IndexFunc(wanted.Targets, func(target plan.Target) bool { return target.Namespace == namespace })
	if i < 0 {
		verdict, err := f.notTarget(ctx, rule, namespace, wanted.Copies)
		return Rendered{Verdict: verdict}, err
	}
	desired, blocked := f.desire(spec, wanted.Kind, wanted.Targets[i])
	if blocked != nil {
		return Rendered{Verdict: *blocked}, nil
	}
	resource, err := desired.Resource(nil)
	if err != nil {
		return Rendered{Verdict: unrendered(err)}, nil
	}
	object, err := resource.PreviewObject()
	if err != nil {
		return Rendered{Verdict: unrendered(err)}, nil
	}
	if spec.HasSecret() {
		mask(object)
	}
	return Rendered{Object: object}, nil
}

// shown are the fields of an object with the content of a Secret that are no values of it.
var shown = []string{"apiVersion", "kind", "metadata", "type", "immutable"}

// mask replaces every value of the object that may be one of a Secret.
func mask(object *unstructured.Unstructured) {
	for field, value := range object.Object {
		if !slices.Contains(shown, field) {
			object.Object[field] = masked(value)
		}
	}
}

func masked(value any) any {
	fields, isMap := value.(map[string]any)
	if !isMap {
		return Masked
	}
	hidden := make(map[string]any, len(fields))
	for key, inner := range fields {
		hidden[key] = masked(inner)
	}
	return hidden
}
