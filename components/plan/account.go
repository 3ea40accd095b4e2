package plan

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// UnreadError says that the content of the source was not read for the rule: not in the name of its service account or of the user that the
// RemoteCluster impersonates, for whatever reason, or not at all, since the rule has no service account and needs one.
type UnreadError struct {
	// User is the name of the user in the cluster of the source; empty: it was to be read in the name of the service account of the rule.
	User string
	// Metadata is what the operator itself has read of the source. The owner's opt-out is in it. Nil: nothing is known.
	Metadata *unstructured.Unstructured
	// Err is why. It is an Error if nothing was asked for.
	Err error
	// Unknown is why there are no metadata.
	Unknown error
}

func (e *UnreadError) Error() string { return e.Err.Error() }

// Unwrap returns why the content was not read.
func (e *UnreadError) Unwrap() error { return e.Err }

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

// isRefused reports whether the error says that the content of a source may not be read in the name of the service account. That there is no
// source for the account says no more: an extension API server may hide what a user may not see.
func isRefused(err error) bool {
	return apierr.IsUnsent(err) || apierrors.IsForbidden(err) || errors.Is(err, source.ErrNotFound)
}

// unreadable is the error of a rule whose source was not read. Where it is not known whether the owner has opted out, it asks for another try.
func unreadable(spec owner.Spec, kind source.Kind, unread *UnreadError) error {
	stopped, needsAccount := errors.AsType[*Error](unread.Err)
	switch {
	case needsAccount && unread.Metadata != nil:
		return stopped
	case needsAccount:
		again := *stopped
		again.Err, again.Retry = unread.Unknown, true
		return &again
	case isRefused(unread.Err):
		return refused(spec, kind, unread)
	}
	who := "the service account " + spec.User().String()
	if unread.User != "" {
		who = "the user " + unread.User
	}
	problem := policy.Problem{
		Reason:  v1.ReasonSourceFetchFailed,
		Message: fmt.Sprintf("%s cannot be read in the name of %s", kind.NameOf(spec.Source), who),
	}
	return Failed(v1.ConditionSourceResolved, problem, unread.Err)
}

// refused is the error of a rule whose source may not be read in the name of its service account, or of the user that the RemoteCluster impersonates.
func refused(spec owner.Spec, kind source.Kind, unread *UnreadError) error {
	problem := accountRefused(spec, kind, unread.Err)
	if unread.User != "" {
		problem = userRefused(spec, kind, unread)
	}
	failed := Failed(v1.ConditionSourceResolved, problem, unread.Err)
	failed.Refused = unread.Metadata != nil
	return failed
}

func userRefused(spec owner.Spec, kind source.Kind, unread *UnreadError) policy.Problem {
	ref, user := spec.Source, unread.User
	problem := policy.Problem{
		Reason:  v1.ReasonSourceFetchFailed,
		Message: fmt.Sprintf("the user %s, which the RemoteCluster impersonates, cannot read %s", user, kind.NameOf(ref)),
		Advice:  "grant it get there: kubectl projection rights " + ref.Cluster + " prints the role",
	}
	switch {
	case apierr.IsUnsent(unread.Err):
		problem.Message = fmt.Sprintf("nothing can be read in the name of the user %s in the cluster %s", user, ref.Cluster)
		problem.Advice = apierr.Advice(unread.Err)
	case apierr.IsImpersonationForbidden(unread.Err):
		problem.Message = fmt.Sprintf("the operator may not impersonate the user %s in the cluster %s", user, ref.Cluster)
		problem.Advice = "grant it impersonate there: kubectl projection rights " + ref.Cluster + " prints the role"
	}
	return problem
}

func accountRefused(spec owner.Spec, kind source.Kind, err error) policy.Problem {
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
	return problem
}
