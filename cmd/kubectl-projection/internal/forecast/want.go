package forecast

import (
	"context"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// want returns the plan of the rule for the source that the spec names, or why there is none.
func (f *Forecaster) want(ctx context.Context, rule access.Rule, spec owner.Spec) (plan.Plan, *Verdict, error) {
	wanted, err := f.Plan(ctx, rule, spec)
	failed, isProblem := problemOf(err)
	if err != nil && !isProblem {
		return plan.Plan{}, nil, err
	}
	problem := wanted.Problem
	if failed.State != Unknown && f.dependsOnMode(ctx, rule, spec, wanted) {
		failed := unknown(strings.TrimSuffix("it depends on the source mode of the operator, which you may not read: "+problem.Message, ": "))
		return plan.Plan{}, &failed, nil
	}
	switch {
	case isProblem:
		return plan.Plan{}, &failed, nil
	case problem.IsZero():
		return wanted, nil, nil
	case spec.MergesSelected() && problem.Reason == v1.ReasonSourceNotFound:
		return plan.Plan{}, &Verdict{State: NotTarget, Reason: problem.Reason, Message: problem.Message}, nil
	default:
		failed := refused(problem.Reason, problem.Message, problem.Advice)
		return plan.Plan{}, &failed, nil
	}
}

// dependsOnMode reports whether the rule may want something else than what is wanted, since the operator may have permissive mode.
func (f *Forecaster) dependsOnMode(ctx context.Context, rule access.Rule, spec owner.Spec, wanted plan.Plan) bool {
	if f.settings.Known || wanted.Problem.Reason != v1.ReasonSourceNotProjectable && !wanted.LeftOut {
		return false
	}
	permissive := *f
	permissive.settings.Mode = policy.Permissive
	other, err := permissive.Plan(ctx, rule, spec)
	return err == nil && other.Problem.IsZero() && (!wanted.Problem.IsZero() || other.Merged != wanted.Merged)
}

// doubt adds to a verdict what the settings of the operator could change, if they are not known.
func (f *Forecaster) doubt(verdict Verdict, isSelected bool) Verdict {
	if verdict.State == Missing && isSelected && !f.settings.Known {
		verdict.Message += "; it is not known whether the operator excludes the namespace from selectors"
	}
	return verdict
}

func valueOf(verdict *Verdict) Verdict {
	if verdict == nil {
		return Verdict{}
	}
	return *verdict
}

// At returns what the rule wants of the copy at the place: of the source whose copy is to be there.
func (f *Forecaster) At(ctx context.Context, rule access.Rule, at Object) (Verdict, error) {
	verdicts, err := f.In(ctx, rule, at.Namespace)
	if err != nil {
		return Verdict{}, err
	}
	return VerdictAt(rule, verdicts, at), nil
}

// VerdictAt returns which of the verdicts on the rule in a namespace is about the copy at the place.
func VerdictAt(rule access.Rule, verdicts []Verdict, at Object) Verdict {
	for _, verdict := range verdicts {
		if verdict.Copy != nil && *verdict.Copy == at {
			return verdict
		}
	}
	if len(verdicts) == 1 && verdicts[0].Copy == nil {
		return verdicts[0]
	}
	return Verdict{State: NotTarget, Namespace: at.Namespace, Source: SourceOf(rule.Spec.Source), Message: "the rule wants no copy of this name here"}
}
