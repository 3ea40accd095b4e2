package forecast

import (
	"context"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/plan"
)

// Others returns why the rule wants no copy in the namespaces that have none of those of the branches, in the order of their names. A Projection
// has one namespace.
func (f *Forecaster) Others(ctx context.Context, rule access.Rule, branches []Branch) ([]Verdict, error) {
	object, ok := rule.Object.(*v1.ClusterProjection)
	if !ok {
		return nil, nil
	}
	all, err := f.namespaces.All(ctx)
	if err != nil {
		return nil, err
	}
	wanted, copies := map[string]bool{}, plan.Copies{}
	for _, branch := range branches {
		copies.Skipped += branch.Skipped
		for _, verdict := range branch.Copies {
			wanted[verdict.Namespace] = true
		}
	}
	var others []Verdict
	for i := range all {
		if name := all[i].Name; !wanted[name] {
			verdict := explainNotTarget(object, name, &all[i], f.settings, copies)
			verdict.Namespace = name
			others = append(others, verdict)
		}
	}
	return others, nil
}
