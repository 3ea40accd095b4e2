package remotecluster

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

const (
	// patience is for how long a cluster counts as connected that is between two connections.
	patience = 5 * time.Second
	// beginning is for how long a process that has just started, and has not asked yet, leaves what an earlier one has reported. It is longer than
	// a probe may take.
	beginning = 20 * time.Second
)

// found is what a Member knows of its cluster.
type found struct {
	since    time.Time
	cause    error // why the cluster is not reached; nil: it is
	failure  error // why a new access is not in use
	host     string
	identity types.UID // empty: it was never reached
	version  string
	expiry   time.Time
	fence    fleet.Fence
	suitable fleet.Suitability
	review   review
}

// facts are what the status of a RemoteCluster follows from.
type facts struct {
	declared  *problem // with the declaration; nil: there is none
	duplicate string   // the RemoteCluster that is the same cluster; empty: there is none
	found     *found   // nil: there is no access
	now       time.Time
}

// status returns the status of the RemoteCluster, and when it changes if nothing else does; 0: it does not.
func (f facts) status(remote *v1alpha1.RemoteCluster) (v1alpha1.RemoteClusterStatus, time.Duration) {
	status := *remote.Status.DeepCopy()
	status.ObservedGeneration = remote.Generation
	accepted, waitAccepted := f.accepted(remote, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionAccepted))
	connected, wait := f.connected(meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionConnected))
	fenced := f.fenced(remote, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFenced))
	permitted := f.permitted(remote, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionPermitted))
	for _, condition := range []metav1.Condition{accepted, connected, permitted, fenced, ready(remote, accepted, connected, permitted, fenced)} {
		condition.ObservedGeneration = remote.Generation
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	wait = earlier(wait, waitAccepted)
	if f.found == nil {
		return status, wait
	}
	status.Version = cmp.Or(f.found.version, status.Version)
	status.CredentialsExpire = nil
	if expiry := f.found.expiry; !expiry.IsZero() {
		status.CredentialsExpire = &metav1.Time{Time: expiry.Truncate(time.Second)}
	}
	if f.found.cause == nil && f.duplicate == "" {
		status.Identity = string(f.found.identity)
	}
	return status, wait
}

// accepted returns the condition Accepted, which was the other one before, and for how long it is left as it was: a process that has started does not
// know at once which cluster it is.
func (f facts) accepted(remote *v1alpha1.RemoteCluster, before *metav1.Condition) (metav1.Condition, time.Duration) {
	condition := metav1.Condition{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionFalse}
	switch {
	case f.declared != nil:
		effect := "nothing is sent to the cluster"
		if f.found != nil {
			effect = "the former access stays in use"
		}
		condition.Reason = f.declared.reason
		condition.Message = fmt.Sprintf("%s; %s; %s", f.declared.message, effect, f.declared.advice)
	case f.duplicate != "":
		condition.Reason = v1alpha1.ReasonDuplicateIdentity
		condition.Message = fmt.Sprintf("%s is the same cluster as %s; this one is not used; delete one of the two, or correct its kubeconfig",
			remote.Name, f.duplicate)
	default:
		if before != nil && before.Reason == v1alpha1.ReasonDuplicateIdentity && f.found.identity == "" && fleet.IsNotProbed(f.found.cause) {
			if wait := f.found.since.Add(beginning).Sub(f.now); wait > 0 {
				return *before, wait
			}
		}
		condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, v1alpha1.ReasonAccepted, "the declaration can be used"
	}
	return condition, 0
}

// connected returns the condition Connected, which was the other one before, and for how long it is left as it was.
func (f facts) connected(before *metav1.Condition) (metav1.Condition, time.Duration) {
	condition := metav1.Condition{Type: v1alpha1.ConditionConnected, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonConnecting}
	if f.found == nil {
		condition.Message = "the cluster is not asked before the declaration can be used"
		return condition, 0
	}
	condition.LastTransitionTime = metav1.Time{Time: f.found.since}
	if wait := f.wait(before); wait > 0 {
		return *before, wait
	}
	switch {
	case f.found.cause == nil && f.found.suitable == fleet.Unsuitable:
		condition.Status, condition.Reason = metav1.ConditionFalse, v1alpha1.ReasonUnsuitable
		condition.Message = "the API server does not check the resourceVersion of an apply, by which copies spare the objects of others; nothing is written " +
			"there; use a cluster that stores its objects in etcd (" + f.found.host + ")"
	case f.found.cause == nil:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.ReasonConnected
		condition.Message = "the cluster answers at " + f.found.host
		if f.found.failure != nil {
			why := explain(f.found.failure)
			condition.Message = fmt.Sprintf("the new access does not work; the former one stays in use; %s (%s)", why.advice, why.message)
		}
	case fleet.IsNotProbed(f.found.cause):
		condition.Message = "the cluster at " + f.found.host + " has not answered yet"
	default:
		why := explain(f.found.cause)
		condition.Status, condition.Reason = metav1.ConditionFalse, why.reason
		condition.Message = fmt.Sprintf("%s; nothing is changed there; %s (%s)", why.message, why.advice, f.found.host)
	}
	return condition, 0
}

// wait returns for how long the condition stays as it was: while a cluster that was connected is between two connections, and until a process that
// has started knows more than the one before it.
func (f facts) wait(before *metav1.Condition) time.Duration {
	cause := f.found.cause
	switch {
	case before == nil || cause == nil:
		return 0
	case fleet.IsNotProbed(cause) && before.Reason != v1alpha1.ReasonConnecting:
		return f.found.since.Add(beginning).Sub(f.now)
	case before.Status == metav1.ConditionTrue && explain(cause).reason == v1alpha1.ReasonUnreachable:
		return f.found.since.Add(patience).Sub(f.now)
	default:
		return 0
	}
}

// ready returns the condition Ready: the first of the others that is not True and counts, or what Connected says.
func ready(remote *v1alpha1.RemoteCluster, others ...metav1.Condition) metav1.Condition {
	ready := metav1.Condition{Type: v1alpha1.ConditionReady}
	for _, other := range others {
		isFurther := other.Type == v1alpha1.ConditionFenced || other.Type == v1alpha1.ConditionPermitted
		if isFurther && (other.Status == metav1.ConditionTrue || !counts(other)) {
			continue
		}
		ready.Status, ready.Reason, ready.Message = other.Status, other.Reason, other.Message
		if other.Status != metav1.ConditionTrue {
			return ready
		}
	}
	if remote.Spec.Paused {
		ready.Status, ready.Reason = metav1.ConditionFalse, v1alpha1.ReasonPaused
		ready.Message = "the cluster is paused; nothing is written or deleted there; remove spec.paused to go on"
	}
	return ready
}
