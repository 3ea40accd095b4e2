package reach

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/remotecluster"
)

// IsPermittedKind reports whether the list of kinds of a RemoteCluster has the kind. An empty one has all but those whose names mean other subjects
// elsewhere.
func IsPermittedKind(kinds []v1alpha1.ScopeKind, kind schema.GroupKind) bool {
	if len(kinds) > 0 {
		return slices.Contains(kinds, kind.String())
	}
	return kind.Group != rbacv1.GroupName && kind != corev1.SchemeGroupVersion.WithKind("ServiceAccount").GroupKind()
}

// Reasons are those for which rules report that a cluster cannot be used.
type Reasons struct {
	// Condition is the condition that reports them.
	Condition string
	// Unreachable says that it cannot be reached, and Changed that another cluster answers.
	Unreachable, Changed string
}

// Unusable returns why the cluster cannot be reached now; nil: it can. It returns plan.ErrNotRead for one that may be between two connections, or that
// this process has not looked at since it was started. After a while, the rules are stalled. The member is nil if there is no connection.
func (r Reasons) Unusable(declared *v1alpha1.RemoteCluster, member *remotecluster.Member, now time.Time) error {
	switch {
	case member == nil && meta.IsStatusConditionTrue(declared.Status.Conditions, v1alpha1.ConditionConnected):
		return plan.ErrNotRead // this process is about to connect it, or the status is about to say why not
	case member == nil && isAnother(declared):
		return r.waiting(declared, r.Changed, "another cluster answers in place of "+declared.Name, time.Time{}, now)
	case member == nil:
		return r.waiting(declared, r.Unreachable, "the cluster "+declared.Name+" is not connected", time.Time{}, now)
	}
	since, cause := member.State()
	_, changed := errors.AsType[*fleet.IdentityError](cause)
	switch {
	case cause == nil:
		return nil
	case changed:
		return r.waiting(declared, r.Changed, "another cluster answers in place of "+declared.Name, since, now)
	case now.Sub(since) < Patience:
		return plan.ErrNotRead
	default:
		return r.waiting(declared, r.Unreachable, "the cluster "+declared.Name+" cannot be reached", since, now)
	}
}

// isAnother reports whether a cluster that was never connected is not the one that spec.identity names.
func isAnother(declared *v1alpha1.RemoteCluster) bool {
	connected := meta.FindStatusCondition(declared.Status.Conditions, v1alpha1.ConditionConnected)
	return connected != nil && connected.Reason == v1alpha1.ReasonIdentityChanged
}

// waiting is an error that stands until the cluster can be used. After a while, the rule is stalled.
func (r Reasons) waiting(declared *v1alpha1.RemoteCluster, reason, message string, since, now time.Time) error {
	stopped := &plan.Error{Condition: r.Condition, Problem: policy.Problem{
		Reason: reason, Message: message, Advice: "see why: kubectl describe remotecluster " + declared.Name,
	}}
	if since.IsZero() {
		return stopped
	}
	if left := declared.Spec.Absence.StalledAfter() - now.Sub(since); left > 0 {
		stopped.Transient, stopped.RequeueAfter = true, left
	}
	return stopped
}
