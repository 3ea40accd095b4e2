package pull

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// remote is one cluster as rules see it. It implements projector.Remote.
type remote struct {
	name     string
	member   *remotecluster.Member // nil: there is no connection
	clusters *Clusters
	brake    *brake
}

// Identity implements projector.Remote.
func (r *remote) Identity() string {
	if r.member == nil {
		return ""
	}
	return string(r.member.Identity())
}

// Sure implements projector.Remote.
func (r *remote) Sure(ctx context.Context) error {
	if r.member == nil {
		return &fleet.UnreachableError{}
	}
	return r.member.Sure(ctx, 0)
}

// HoldGone implements projector.Remote.
func (r *remote) HoldGone(source projector.ObjectRef) time.Duration { return r.brake.hold(source) }

// User implements projector.Remote.
func (r *remote) User(namespace string) impersonate.User {
	declared, err := r.declared(r.clusters.ctx)
	if err != nil { // Denied reports it
		return impersonate.User{}
	}
	switch as := declared.Spec.Impersonate; {
	case as == nil:
		return impersonate.Operator()
	case as.User != "":
		return impersonate.Named(as.User)
	default:
		return impersonate.Named(strings.ReplaceAll(as.PerNamespace, "{namespace}", namespace))
	}
}

func (r *remote) declared(ctx context.Context) (*v1alpha1.RemoteCluster, error) {
	declared := &v1alpha1.RemoteCluster{}
	err := r.clusters.options.Client.Get(ctx, client.ObjectKey{Name: r.name}, declared)
	return declared, err
}

// Denied implements projector.Remote.
func (r *remote) Denied(ctx context.Context, rule owner.Identity, spec owner.Spec) error {
	declared, err := r.declared(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return r.stop(v1.ReasonSourceClusterNotFound, "there is no RemoteCluster "+r.name, "create it, or correct source.cluster")
	case err != nil:
		return plan.Failed(v1.ConditionSourceResolved, policy.Problem{
			Reason: v1.ReasonSourceClusterUnreachable, Message: "the RemoteClusters are not known",
		}, err)
	}
	if err := r.forbidden(ctx, declared, rule, spec); err != nil {
		return err
	}
	return reasons.Unusable(declared, r.member, r.clusters.options.Clock.Now())
}

// reasons are those for which rules report that the cluster of their source cannot be used.
var reasons = reach.Reasons{
	Condition: v1.ConditionSourceResolved, Unreachable: v1.ReasonSourceClusterUnreachable, Changed: v1.ReasonSourceClusterChanged,
}

// stop is an error that stands until an event enqueues the rule.
func (r *remote) stop(reason, message, advice string) error {
	return &plan.Error{Condition: v1.ConditionSourceResolved, Problem: policy.Problem{
		Reason: reason, Message: message, Advice: advice,
	}}
}

// forbidden says why the RemoteCluster does not permit the rule to read there.
func (r *remote) forbidden(ctx context.Context, declared *v1alpha1.RemoteCluster, rule owner.Identity, spec owner.Spec) error {
	forbid := func(message, advice string) error {
		return r.stop(v1.ReasonSourceClusterNotPermitted, "the RemoteCluster "+r.name+" "+message, advice)
	}
	scope, as := declared.Spec.Scope, declared.Spec.Impersonate
	switch {
	case spec.Account != nil && as == nil:
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
			Reason:  v1.ReasonRuleInvalid,
			Message: fmt.Sprintf("the service account %s is one of this cluster, and nothing can be read in its name in the cluster %s", spec.User(), r.name),
			Copies:  policy.CopiesKept, Advice: "have an administrator set impersonate in the RemoteCluster, or use no service account",
		}}
	case as != nil && as.PerNamespace != "" && !rule.Kind.Namespaced:
		return forbid("impersonates a user for each namespace, and a ClusterProjection has none", "create Projections, or set impersonate.user")
	case len(scope.Directions) > 0 && !slices.Contains(scope.Directions, v1alpha1.Pull):
		return forbid("does not permit that objects are copied from it", "add Pull to its scope.directions")
	case !reach.IsPermittedKind(scope.Kinds, spec.Source.GroupKind()):
		return forbid("does not permit that objects of the kind "+spec.Source.GroupKind().String()+" are copied from it", "add it to its scope.kinds")
	case len(scope.Namespaces) > 0 && !slices.Contains(scope.Namespaces, spec.Source.Namespace):
		return forbid("does not permit that objects of the namespace "+spec.Source.Namespace+" are copied from it", "add it to its scope.namespaces")
	case !rule.Kind.Namespaced:
		return nil
	}
	return r.namespaceForbidden(ctx, declared, rule.Namespace, forbid)
}

// namespaceForbidden says why Projections of the namespace may not read there.
func (r *remote) namespaceForbidden(
	ctx context.Context, declared *v1alpha1.RemoteCluster, namespace string, forbid func(message, advice string) error,
) error {
	if declared.Spec.AllowedNamespaces == nil {
		return forbid("permits no Projections to read from it", "have an administrator set its allowedNamespaces, or create a ClusterProjection")
	}
	selector, err := metav1.LabelSelectorAsSelector(declared.Spec.AllowedNamespaces.LabelSelector())
	if err != nil {
		return forbid("has an allowedNamespaces that is not valid", "correct it")
	}
	found, known, err := watch.NamespaceLabels(ctx, r.clusters.options.Client, namespace)
	switch {
	case err != nil || !known:
		return plan.ErrNotRead // the namespace is about to be known, or the rule ends with it
	case !selector.Matches(labels.Set(found)):
		refused := forbid(fmt.Sprintf("permits no Projections of the namespace %s to read from it", namespace),
			"label the namespace as its allowedNamespaces says: "+selector.String())
		if stopped, ok := errors.AsType[*plan.Error](refused); ok {
			stopped.RequeueAfter = r.clusters.options.Requeue
		}
		return refused
	}
	return nil
}
