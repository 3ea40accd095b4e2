package forecast

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// In returns what the rule wants in the namespace, and what is there: one verdict for each source.
func (f *Forecaster) In(ctx context.Context, rule access.Rule, namespace string) ([]Verdict, error) {
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		failed.Source, failed.Namespace = SourceOf(rule.Spec.Source), namespace
		return []Verdict{failed}, nil
	}
	if err != nil {
		return nil, err
	}
	var verdicts []Verdict
	named := namesOf(rule.Spec, specs)
	for _, spec := range specs {
		verdict, err := f.of(ctx, rule, spec, namespace, named)
		verdict.Source, verdict.Namespace = SourceOf(spec.Source), namespace
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, explain(rule, verdict))
	}
	return verdicts, nil
}

// of returns what the rule wants in the namespace of the source that the spec names, and what is there.
func (f *Forecaster) of(ctx context.Context, rule access.Rule, spec owner.Spec, namespace string, named *names) (Verdict, error) {
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		return valueOf(failed), err
	}
	i := slices.IndexFunc(wanted.Targets, func(target plan.Target) bool { return target.Namespace == namespace })
	if i < 0 {
		return f.notTarget(ctx, rule, namespace, wanted.Copies)
	}
	named.refuse(spec, &wanted.Targets[i])
	return f.target(ctx, rule, wanted.Spec, wanted.Kind, wanted.Targets[i])
}

// problemOf returns what an error of the operator's code says of a rule. An error about something that the caller may not read says nothing of it,
// and a request that has failed is no problem of the rule.
func problemOf(err error) (failed Verdict, isProblem bool) {
	if elsewhere, ok := errors.AsType[*elsewhereError](err); ok {
		return elsewhere.verdict(), true
	}
	problem, ok := errors.AsType[*plan.Error](err)
	switch {
	case !ok:
		return Verdict{}, false
	case access.IsUnknown(err):
		return unknown("you may not read what decides it: " + problem.Cause), true
	case problem.Retry && access.IsRequest(problem.Err):
		return Verdict{}, false
	default:
		failed = refused(problem.Reason, problem.Message+causeOf(problem), problem.Advice)
		failed.keepsCopies, failed.endsDropped = true, problem.EndsDropped
		return failed, true
	}
}

func causeOf(problem *plan.Error) string {
	if problem.Cause == "" {
		return ""
	}
	return " (" + problem.Cause + ")"
}

func (f *Forecaster) notTarget(ctx context.Context, rule access.Rule, name string, copies plan.Copies) (Verdict, error) {
	object, ok := rule.Object.(*v1.ClusterProjection)
	if !ok {
		return Verdict{State: NotTarget, Reason: ReasonNotListed, Message: "the copy of a Projection is in its own namespace, " + rule.Namespace}, nil
	}
	if _, err := f.namespaces.All(ctx); err != nil {
		return Verdict{}, err
	}
	return explainNotTarget(object, name, f.namespaces.Listed(name), f.settings, copies), nil
}

// target compares what is wanted in a target with what is there.
func (f *Forecaster) target(ctx context.Context, rule access.Rule, spec owner.Spec, kind source.Kind, target plan.Target) (Verdict, error) {
	copies, err := f.CopyKind(ctx, spec, kind)
	if err != nil {
		return Verdict{}, err
	}
	desired, blocked := f.desire(spec, copies, target)
	if blocked != nil {
		return *blocked, nil
	}
	verdict, err := f.look(ctx, rule, spec, copies, desired)
	verdict = f.doubt(verdict, target.Selected)
	at := ObjectOf(copies.GroupKind(), desired.At)
	verdict.Copy = &at
	return verdict, err
}

// blockedBy returns what keeps the target from having its copy; nil: nothing.
func blockedBy(target plan.Target) *Verdict {
	switch {
	case target.NotPermitted != "":
		return &Verdict{State: Blocked, Reason: v1.ReasonDestinationNotPermitted, Message: target.NotPermitted}
	case target.Blocked != "":
		return &Verdict{State: Blocked, Reason: v1.ReasonDestinationCreateFailed, Message: target.Blocked}
	case target.Unnamed != nil:
		blocked := unrendered(target.Unnamed)
		return &blocked
	default:
		return nil
	}
}

// unrendered says that no copy results. Only errors of the operator quote no value of an object.
func unrendered(err error) Verdict {
	verdict := Verdict{State: Blocked, Reason: v1.ReasonRenderFailed, Message: "no copy results"}
	failed, ok := errors.AsType[*destination.RenderError](err)
	switch {
	case ok && failed.Retry:
		return unknown("the expressions of the rule take too long to evaluate them all")
	case ok:
		verdict.Message = failed.Message
	}
	return verdict
}

// look reads what is in the place of a copy, and compares it.
func (f *Forecaster) look(ctx context.Context, rule access.Rule, spec owner.Spec, kind source.Kind, desired destination.DesiredCopy) (Verdict, error) {
	found, err := f.Metadata(ctx, kind, desired.At)
	if access.IsUnknown(err) {
		return unknown("you may not read the copy"), nil
	}
	if err != nil {
		return Verdict{}, err
	}
	return compareCopy(rule, spec, desired, placeOf(rule, found).of(spec, ObjectOf(kind.GroupKind(), desired.At))), nil
}

// CopyKind returns the kind of the copies of a source of that kind.
func (f *Forecaster) CopyKind(ctx context.Context, spec owner.Spec, of source.Kind) (source.Kind, error) {
	if spec.CopyKind == "" {
		return of, nil
	}
	return f.resolver.ResolveKind(ctx, spec.KindOfCopies())
}

// Metadata returns the metadata of an object; nil if it does not exist.
func (f *Forecaster) Metadata(ctx context.Context, kind source.Kind, at types.NamespacedName) (*metav1.PartialObjectMetadata, error) {
	return f.cluster.ObjectMetadata(ctx, kind.GroupVersionResource(), at)
}
