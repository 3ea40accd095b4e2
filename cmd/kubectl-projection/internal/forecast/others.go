package forecast

import (
	"cmp"
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	wanted := map[string]bool{}
	for _, branch := range branches {
		for _, verdict := range branch.Copies {
			wanted[verdict.Namespace] = true
		}
	}
	var others []Verdict
	for i := range all {
		if name := all[i].Name; !wanted[name] {
			denied := deniedBy(branches, name, func(branch Branch) consent { return f.permits(ctx, branch.permission, name) })
			others = append(others, explainOther(object, &all[i], f.settings, branches, denied))
		}
	}
	return others, nil
}

// explainOther says why the rule wants no copy in the namespace of any of the branches. Denied has how many of them are not permitted there.
func explainOther(
	rule *v1.ClusterProjection, namespace *metav1.PartialObjectMetadata, settings access.Settings, branches []Branch, denied plan.Copies,
) Verdict {
	verdict := explainNotTarget(rule, namespace.Name, namespace, settings, denied)
	for _, branch := range branches {
		if verdict.Reason == ReasonPlaceOfSource && branch.Refused != nil {
			verdict = *branch.Refused // the namespace is selected, and there is nothing to copy
		}
	}
	verdict.Namespace = namespace.Name
	return verdict
}

// deniedBy counts the branches whose owners permit no copy in the namespace, and has what one of them permits. Where the place of the copy would be
// that of the source, the consent does not count.
func deniedBy(branches []Branch, namespace string, permits func(Branch) consent) (copies plan.Copies) {
	for _, branch := range branches {
		if !branch.isOntoSource(namespace) && permits(branch) == denied {
			copies.Skipped++
			copies.Refusal = branch.permission.Refusal()
		}
	}
	return copies
}

// isOntoSource reports whether the place of the copy in the namespace would be that of the source, or of a layer.
func (b Branch) isOntoSource(namespace string) bool {
	name := cmp.Or(b.spec.Name, b.spec.Source.Name)
	isThere := func(ref v1.SourceRef) bool {
		return ref.Kind == cmp.Or(b.spec.CopyKind, b.spec.Source.Kind) && ref.Namespace == namespace && ref.Name == name
	}
	return isThere(b.spec.Source) || slices.ContainsFunc(b.spec.Merge.Layers, func(layer v1.LayerSpec) bool { return isThere(layer.Source) })
}
