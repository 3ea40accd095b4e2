package remotecluster

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

// fenced returns the condition Fenced, which was the other one before.
func (f facts) fenced(remote *v1alpha1.RemoteCluster, before *metav1.Condition) metav1.Condition {
	condition := metav1.Condition{Type: v1alpha1.ConditionFenced, Status: metav1.ConditionFalse}
	fence := fleet.Fence{}
	if f.found != nil {
		fence = f.found.fence
	}
	home := homeOf(remote)
	switch fence.Kind {
	case fleet.LeaseHeld:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.ReasonLeaseHeld
		condition.Message = "the operator holds its lease in the namespace " + home
	case fleet.HeldByAnother:
		condition.Reason = v1alpha1.ReasonHeldByAnother
		condition.Message = fmt.Sprintf("the process %s, which takes itself for the same hub, holds the lease in the namespace %s; nothing is written there; "+
			"end that process, or wait for three minutes if it has ended", fence.Holder, home)
	case fleet.LeaseNotPermitted:
		condition.Reason = v1alpha1.ReasonLeaseNotPermitted
		condition.Message = fmt.Sprintf("the credentials permit no lease in the namespace %s; a second process with the same hub id would not be noticed; "+
			"permit them to get, create and update leases there", home)
	case fleet.HomeMissing:
		condition.Reason = v1alpha1.ReasonHomeMissing
		condition.Message = fmt.Sprintf("there is no namespace %s for the lease; a second process with the same hub id would not be noticed; "+
			"create it there, or correct spec.scope.home", home)
	default:
		if before != nil {
			return *before
		}
		condition.Status, condition.Reason = metav1.ConditionUnknown, v1alpha1.ReasonConnecting
		condition.Message = "the lease there has not been asked for yet"
	}
	return condition
}

// counts reports whether a cluster of which that is not True is not ready. Without a permission or a namespace for the lease, copies are written all the
// same; and rules find out what is permitted, too.
func counts(condition metav1.Condition) bool {
	switch condition.Reason {
	case v1alpha1.ReasonLeaseNotPermitted, v1alpha1.ReasonHomeMissing, v1alpha1.ReasonPermissionsUnknown:
		return false
	default:
		return true
	}
}
