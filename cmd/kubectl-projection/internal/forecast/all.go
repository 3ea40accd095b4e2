package forecast

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// Branch is what a rule wants of one of its sources, and what is there.
type Branch struct {
	Source Object `json:"source"`
	// Refused is what keeps the rule from copying the source, or what of it is unknown; nil: nothing.
	Refused *Verdict `json:"refused,omitempty"`
	// Copies has a verdict for each copy that is wanted, in the order of namespaces.
	Copies []Verdict `json:"copies"`
	// Skipped is how many namespaces are no targets since the owner of the source permits no copy there.
	Skipped int `json:"skipped,omitempty"`

	// spec and permission are those of the plan.
	spec       owner.Spec
	permission policy.Permission
}

// All returns what the rule wants of each of its sources, in the order of their names. An error of the rule is a branch.
func (f *Forecaster) All(ctx context.Context, rule access.Rule) ([]Branch, error) {
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		return []Branch{{Source: SourceOf(rule.Spec.Source), Refused: &failed}}, nil
	}
	if err != nil {
		return nil, err
	}
	var branches []Branch
	known := &inventory{names: namesOf(rule.Spec, specs)}
	for _, spec := range specs {
		branch, err := f.branch(ctx, rule, spec, known)
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
	}
	return branches, nil
}

func (f *Forecaster) branch(ctx context.Context, rule access.Rule, spec owner.Spec, known *inventory) (Branch, error) {
	var copies []Verdict
	branch, err := f.each(ctx, rule, spec, known, func(_ *wish, verdict Verdict) { copies = append(copies, explain(rule, verdict)) })
	branch.Copies = copies
	return branch, err
}

// wish is a copy that a rule wants.
type wish struct {
	// spec is what the rule asks for of the source. All copies of the source have the same.
	spec    *owner.Spec
	kind    source.Kind
	desired destination.DesiredCopy
	// isSelected reports whether the rule selects the namespace by its labels.
	isSelected bool
	// blocked is what keeps the target from having the copy; nil: nothing.
	blocked *Verdict
	// found is what is in the place of the copy, if that is known.
	found place
}

// each calls the function with each copy that the rule wants of the source, in the order of namespaces.
func (f *Forecaster) each(ctx context.Context, rule access.Rule, spec owner.Spec, known *inventory, do func(*wish, Verdict)) (Branch, error) {
	branch := Branch{Source: SourceOf(spec.Source)}
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		branch.Refused = failed
		return branch, err
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return Branch{}, err
	}
	if err := known.read(ctx, f.cluster, rule, kind); err != nil {
		return Branch{}, err
	}
	branch.Skipped, branch.spec, branch.permission = wanted.Skipped, wanted.Spec, wanted.Permission
	asked, wishes := wanted.Spec, make([]*wish, len(wanted.Targets))
	var places []types.NamespacedName
	for i, target := range wanted.Targets {
		known.names.refuse(spec, &target)
		wishes[i] = &wish{spec: &asked, kind: kind, isSelected: target.Selected}
		if wishes[i].desired, wishes[i].blocked = f.desire(spec, kind, target); wishes[i].blocked == nil {
			places = append(places, wishes[i].desired.At)
		}
	}
	if err := known.look(ctx, f.cluster, rule, kind, places); err != nil {
		return Branch{}, err
	}
	for i, wished := range wishes {
		verdict := f.judge(rule, wished, known)
		verdict.Source, verdict.Namespace = branch.Source, wanted.Targets[i].Namespace
		do(wished, verdict)
	}
	return branch, nil
}

// judge compares a copy that is wanted with what is known of its place.
func (f *Forecaster) judge(rule access.Rule, wished *wish, known *inventory) (verdict Verdict) {
	if wished.blocked != nil {
		return *wished.blocked
	}
	at := ObjectOf(wished.kind.GroupKind(), wished.desired.At)
	found, isKnown := known.at(wished.desired.At)
	found = found.of(*wished.spec, at)
	switch {
	case !isKnown:
		verdict = unknown(known.why())
	case found.isHidden:
		verdict = unknown("you may not read the copy")
	default:
		verdict = f.doubt(compareCopy(rule, *wished.spec, wished.desired, found), wished.isSelected)
	}
	wished.found, verdict.Copy = found, &at
	return verdict
}

// desire returns the copy that is wanted in a target, or what keeps the target from having it.
func (f *Forecaster) desire(spec owner.Spec, kind source.Kind, target plan.Target) (destination.DesiredCopy, *Verdict) {
	if blocked := blockedBy(target); blocked != nil {
		return destination.DesiredCopy{}, blocked
	}
	desired, err := target.Renderer.Copy(target.Place())
	if err != nil {
		at := ObjectOf(kind.GroupKind(), desired.At)
		blocked := unrendered(err)
		blocked.Copy = &at
		return desired, &blocked
	}
	if spec.Policy.Updates == v1.UpdateCreateOnly {
		desired = desired.OnlyToExist(spec.Policy.Retains(v1.RetainSourceGone))
	}
	return desired, nil
}

// HasFailed reports whether something keeps the rule from copying the source. That there is nothing to merge is no failure.
func (b Branch) HasFailed() bool { return b.Refused != nil && b.Refused.State != NotTarget }

// Count returns how many of the copies have the state.
func (b Branch) Count(state State) (count int) {
	for _, verdict := range b.Copies {
		if verdict.State == state {
			count++
		}
	}
	return count
}

// Troubled returns the copies that are not as the rule wants them.
func (b Branch) Troubled() []Verdict {
	return slices.DeleteFunc(slices.Clone(b.Copies), func(v Verdict) bool { return v.State == InSync || v.State == Exists })
}
