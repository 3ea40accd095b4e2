package plan

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// Make returns the plan of the rule. Any error is an Error.
func (p *Planner[O]) Make(ctx context.Context, rule O, read Read) (Plan, error) {
	kind, err := p.ResolveKind(ctx, rule)
	if err != nil {
		return Plan{}, err
	}
	spec := p.Spec(rule)
	object, problem, err := p.readNamed(ctx, rule, spec, kind, read)
	if err != nil || !problem.IsZero() {
		return Plan{Kind: kind, Problem: problem}, err
	}
	merged, err := p.readMerged(ctx, rule, spec, object, read)
	if err != nil || !merged.problem.IsZero() {
		return Plan{Kind: kind, Problem: merged.problem, LeftOut: merged.leftOut}, err
	}
	if err := p.CheckRule(rule); err != nil {
		return Plan{}, err
	}
	if object == nil {
		object = merged.first
	}
	permission, err := policy.PermissionOf(object.GetAnnotations())
	if err != nil { // CheckConsent has refused it
		return Plan{}, err
	}
	spec = WithMembers(spec, merged.members)
	permission = permission.And(merged.permission)
	copies, err := p.Render(ctx, rule, spec, kind, object, permission, destination.Rendering{Layers: merged.layers})
	return Plan{Kind: kind, Spec: spec, Permission: permission, Merged: len(merged.layers), LeftOut: merged.leftOut, Copies: copies}, err
}

// readNamed reads the source of a rule that names one; nil: the rule merges what it selects. That the owner of a layer does not consent counts more
// than that the source does not exist.
func (p *Planner[O]) readNamed(
	ctx context.Context, rule O, spec owner.Spec, kind source.Kind, read Read,
) (*unstructured.Unstructured, policy.Problem, error) {
	if spec.MergesSelected() {
		return nil, policy.Problem{}, nil
	}
	object, problem, err := p.ReadSource(ctx, rule, spec, kind, read)
	switch {
	case err != nil:
		return nil, policy.Problem{}, err
	case isMissing(problem):
		merged, _ := p.readMerged(ctx, rule, spec, nil, read)
		return nil, cmp.Or(merged.problem, problem), nil
	case object != nil:
		problem = p.CheckConsent(spec, object)
	}
	return object, problem, nil
}

// isMissing reports whether the problem is that a source does not exist.
func isMissing(problem policy.Problem) bool {
	return problem.Reason == v1.ReasonSourceNotFound || problem.Reason == v1.ReasonSourceDeleted
}
