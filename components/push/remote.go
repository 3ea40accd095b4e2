package push

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
)

// remote is one cluster as its branch sees it. It implements projector.Destination.
type remote struct {
	name     string
	member   *remotecluster.Member
	clusters *Clusters
}

// Identity implements projector.Destination.
func (r *remote) Identity() string { return string(r.member.Identity()) }

// User implements projector.Destination. A rule that none may be found for is Denied.
func (r *remote) User() impersonate.User {
	declared, err := r.clusters.declared(r.clusters.ctx, r.name)
	switch {
	case err != nil:
		return impersonate.User{}
	case declared.Spec.Impersonate == nil:
		return impersonate.Operator()
	default:
		return impersonate.Named(declared.Spec.Impersonate.User)
	}
}

// Denied implements projector.Destination.
func (r *remote) Denied(ctx context.Context, _ owner.Spec) error {
	return r.clusters.denied(ctx, r.name, r.member)
}

// Forbidden implements projector.Destination.
func (r *remote) Forbidden(of rule, spec owner.Spec) error {
	declared, err := r.clusters.known(r.clusters.ctx, r.name)
	if err != nil {
		return err
	}
	if stopped := forbidden(declared, spec); stopped != nil && selects(of, declared) {
		return stopped
	}
	return nil
}

// declared returns the RemoteCluster from the cache. It must not be changed.
func (c *Clusters) declared(ctx context.Context, name string) (*v1alpha1.RemoteCluster, error) {
	declared := &v1alpha1.RemoteCluster{}
	err := c.options.Client.Get(ctx, client.ObjectKey{Name: name}, declared, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	return declared, err
}

// known is declared for rules, whose reconciles end with its error.
func (c *Clusters) known(ctx context.Context, name string) (*v1alpha1.RemoteCluster, error) {
	declared, err := c.declared(ctx, name)
	switch {
	case err == nil:
		return declared, nil
	case apierrors.IsNotFound(err):
		return nil, notFound(name)
	default:
		return nil, unknown(err)
	}
}

// unknown is the error of a rule if the RemoteClusters cannot be read.
func unknown(err error) error {
	return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
		Reason: v1.ReasonClusterUnreachable, Message: "the RemoteClusters are not known", Copies: policy.CopiesKept,
	}, err)
}

// reasons are those for which rules report that a cluster that they copy into cannot be used.
var reasons = reach.Reasons{
	Condition: v1.ConditionDestinationWritten, Unreachable: v1.ReasonClusterUnreachable, Changed: v1.ReasonClusterChanged,
}

// denied says why a rule may not copy into the cluster, or cannot now; nil: it can. The member is nil if there is no connection.
func (c *Clusters) denied(ctx context.Context, name string, member *remotecluster.Member) error {
	declared, err := c.known(ctx, name)
	if err != nil {
		return err
	}
	return c.refused(declared, member)
}

// refused is denied for a RemoteCluster that is known.
func (c *Clusters) refused(declared *v1alpha1.RemoteCluster, member *remotecluster.Member) error {
	switch as := declared.Spec.Impersonate; {
	case declared.Spec.Paused:
		return paused(declared)
	case as != nil && as.PerNamespace != "":
		return forbid(declared, "impersonates a user for each namespace, and a ClusterProjection has none", "set impersonate.user")
	}
	if err := reasons.Unusable(declared, member, c.options.Clock.Now()); err != nil {
		if stopped, ok := errors.AsType[*plan.Error](err); ok {
			stopped.Copies = policy.CopiesKept
		}
		return err
	}
	err := member.Writable()
	switch since, _ := member.State(); {
	case err == nil:
		return nil
	case c.options.Clock.Since(since) < reach.Patience: // it has just been reached, and the lease is not held yet
		return plan.ErrNotRead
	default:
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Transient: true, Problem: policy.Problem{
			Reason: v1.ReasonClusterUnreachable, Message: "nothing is written into the cluster " + declared.Name, Copies: policy.CopiesKept,
			Advice: "see why: kubectl describe remotecluster " + declared.Name,
		}}
	}
}

// stop is an error that stands until an event enqueues the rule.
func stop(reason, message, advice string) *plan.Error {
	return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason: reason, Message: message, Copies: policy.CopiesKept, Advice: advice,
	}}
}

// forbid is the error of a rule for which the RemoteCluster does not permit something.
func forbid(declared *v1alpha1.RemoteCluster, message, advice string) *plan.Error {
	return stop(v1.ReasonClusterNotPermitted, "the RemoteCluster "+declared.Name+" "+message, advice)
}

// paused is the error of a rule with copies in a cluster that is paused.
func paused(declared *v1alpha1.RemoteCluster) *plan.Error {
	return forbid(declared, "is paused", "have an administrator set its paused to false")
}

// forbidden says why the rule may not write copies into the cluster; nil: it may. Those that are there may be deleted.
func forbidden(declared *v1alpha1.RemoteCluster, spec owner.Spec) *plan.Error {
	if spec.Account != nil && declared.Spec.Impersonate == nil {
		return stop(v1.ReasonRuleInvalid, fmt.Sprintf("the service account %s is one of this cluster, and nothing can be written in its name in the cluster %s",
			spec.User(), declared.Name), "have an administrator set impersonate in the RemoteCluster, or use no service account")
	}
	if !reach.IsPermittedKind(declared.Spec.Scope.Kinds, spec.KindOfCopies()) {
		return forbiddenKind(declared, spec)
	}
	return outOfScope(declared, spec)
}

// outOfScope says why scope of the RemoteCluster does not permit copies of the rule; nil: it does.
func outOfScope(declared *v1alpha1.RemoteCluster, spec owner.Spec) *plan.Error {
	scope := declared.Spec.Scope
	switch {
	case len(scope.Directions) > 0 && !slices.Contains(scope.Directions, v1alpha1.Push):
		return forbid(declared, "does not permit that objects are copied into it", "add Push to its scope.directions")
	case len(scope.Kinds) > 0 && !slices.Contains(scope.Kinds, spec.KindOfCopies().String()):
		return forbiddenKind(declared, spec)
	}
	return nil
}

func forbiddenKind(declared *v1alpha1.RemoteCluster, spec owner.Spec) *plan.Error {
	return forbid(declared, "does not permit that objects of the kind "+spec.KindOfCopies().String()+" are copied into it", "add it to its scope.kinds")
}

// excludes says why rules have no copies in the namespace of the cluster; empty: they may.
func excludes(declared *v1alpha1.RemoteCluster, namespace string) string {
	if len(declared.Spec.Scope.Namespaces) == 0 || slices.Contains(declared.Spec.Scope.Namespaces, namespace) {
		return ""
	}
	return "the RemoteCluster " + declared.Name + " does not permit copies in the namespace; add it to its scope.namespaces"
}
