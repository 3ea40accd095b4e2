package plan

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// RefusedError says that the content of the source was not read for the rule: its service account may not read it, or the rule has none and
// needs one.
type RefusedError struct {
	// Metadata is what the operator itself was told of the source. The owner's opt-out is in it. Nil: nothing is known.
	Metadata *unstructured.Unstructured
	// Err is the refusal. It is an Error if nothing was asked for.
	Err error
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *RefusedError) Unwrap() error { return e.Err }

// WithDefaultAccount returns a function that returns what a rule asks for, with that service account in the rule's namespace if the rule is
// namespaced and names none. An empty name stands for no account.
func WithDefaultAccount[O owner.Object](kind owner.RuleKind, spec func(O) owner.Spec, name string) func(O) owner.Spec {
	if !kind.Namespaced || name == "" {
		return spec
	}
	return func(rule O) owner.Spec {
		asked := spec(rule)
		if asked.Account == nil {
			asked.Account = &v1.ServiceAccountRef{Namespace: rule.GetNamespace(), Name: name}
		}
		return asked
	}
}

// CheckAccount refuses a rule without a service account if rules need one. Any error is an Error.
func (p *Planner[O]) CheckAccount(rule O) error {
	if !p.RequireAccount || p.Spec(rule).Account != nil {
		return nil
	}
	field := "spec.serviceAccount"
	if p.Kind.Namespaced {
		field = "spec.serviceAccountName"
	}
	return &Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason: v1.ReasonRuleInvalid, Message: "this installation serves rules with a service account only", Copies: policy.CopiesKept, Advice: "set " + field,
	}}
}

// IsRefused reports whether the error says that the content of a source may not be read in the name of the service account. That there is no
// source for the account says no more: an extension API server may hide what a user may not see.
func IsRefused(user impersonate.User, err error) bool {
	_, known := errors.AsType[*Error](err)
	return known || user.IsAccount() && (apierr.IsUnsent(err) || apierrors.IsForbidden(err) || errors.Is(err, source.ErrNotFound))
}

// refused is the error of a rule whose source may not be read in the name of its service account.
func (p *Planner[O]) refused(rule O, kind source.Kind, err error) error {
	if stopped, ok := errors.AsType[*Error](err); ok {
		return stopped
	}
	spec := p.Spec(rule)
	ref, account := spec.Source, spec.User()
	problem := policy.Problem{
		Reason:  v1.ReasonSourceFetchFailed,
		Message: fmt.Sprintf("the service account %s cannot read %s", account, kind.NameOf(ref)),
	}
	switch {
	case apierr.IsUnsent(err):
		problem.Message = "nothing can be read in the name of the service account " + account.String()
		problem.Advice = apierr.Advice(err)
	case apierr.IsImpersonationForbidden(err):
		problem.Message = "the operator may not impersonate the service account " + account.String()
		problem.Advice = account.HowToAllow()
	default:
		problem.Advice = fmt.Sprintf("grant it a role: kubectl -n %s create role NAME --verb=get --resource=%s --resource-name=%s",
			ref.Namespace, kind.GroupVersionResource().GroupResource(), ref.Name)
	}
	return Failed(v1.ConditionSourceResolved, problem, err)
}
