package plain

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// The condition that a Site has, and its reasons.
const (
	conditionReady = "Ready"

	reasonCreating   = "Creating"
	reasonUpdating   = "Updating"
	reasonScaling    = "Scaling"
	reasonHealthy    = "Healthy"
	reasonDegraded   = "Degraded"
	reasonDown       = "Down"
	reasonSuspending = "Suspending"
	reasonSuspended  = "Suspended"
	reasonError      = "Error"
)

func condition(status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: conditionReady, Status: status, Reason: reason, Message: message}
}

// progress returns how far the rollout is. Until it has ended the first reason stays, and after the grace period the Site is down
// or degraded.
func (r *Reconciler) progress(site *v1.Site, pods *appsv1.Deployment, result controllerutil.OperationResult) metav1.Condition {
	waits := waitsFor(pods, site.Spec.Replicas)
	if waits == "" {
		return condition(metav1.ConditionTrue, reasonHealthy, "The site is healthy.")
	}
	reason := reasonScaling
	if result == controllerutil.OperationResultCreated {
		reason = reasonCreating
	}
	if result == controllerutil.OperationResultUpdated {
		reason = reasonUpdating
	}
	previous := meta.FindStatusCondition(site.Status.Conditions, conditionReady)
	if previous == nil || previous.Status == metav1.ConditionTrue || previous.Reason == reasonSuspending {
		return condition(metav1.ConditionFalse, reason, waits)
	}
	if isPending(previous.Reason) {
		reason = previous.Reason
	}
	switch {
	case r.GracePeriod == 0 || time.Since(previous.LastTransitionTime.Time) <= r.GracePeriod:
		return condition(metav1.ConditionFalse, reason, waits)
	case pods.Status.ReadyReplicas == 0 && site.Spec.Replicas > 0:
		return condition(metav1.ConditionFalse, reasonDown, "No replicas are ready")
	default:
		return condition(metav1.ConditionFalse, reasonDegraded, waits)
	}
}

func isPending(reason string) bool {
	return reason == reasonCreating || reason == reasonUpdating || reason == reasonScaling
}

// waitsFor returns what is missing for all pods to be ready and of the newest revision.
func waitsFor(pods *appsv1.Deployment, desired int32) string {
	status := pods.Status
	switch {
	case status.ObservedGeneration < pods.Generation:
		return "Waiting for deployment controller to observe latest spec"
	case status.ReadyReplicas != desired:
		return fmt.Sprintf("Waiting for replicas: %d/%d ready", status.ReadyReplicas, desired)
	case status.UpdatedReplicas < desired:
		return fmt.Sprintf("Waiting for rollout: %d/%d replicas updated", status.UpdatedReplicas, desired)
	case status.Replicas > status.UpdatedReplicas:
		return fmt.Sprintf("Waiting for rollout: %d old replicas pending termination", status.Replicas-status.UpdatedReplicas)
	default:
		return ""
	}
}

func suspension(pods *appsv1.Deployment) metav1.Condition {
	switch {
	case pods.Status.ObservedGeneration < pods.Generation:
		return condition(metav1.ConditionFalse, reasonSuspending, "Waiting for deployment controller to observe latest spec")
	case pods.Status.Replicas > 0:
		return condition(metav1.ConditionFalse, reasonSuspending,
			fmt.Sprintf("Waiting for replicas to scale down, %d replicas still running.", pods.Status.Replicas))
	default:
		return condition(metav1.ConditionTrue, reasonSuspended, "The site is suspended.")
	}
}

// graceRemaining returns when to look at the Site again to see its grace period end, or zero. Times of transitions are whole seconds.
func (r *Reconciler) graceRemaining(site *v1.Site) time.Duration {
	ready := meta.FindStatusCondition(site.Status.Conditions, conditionReady)
	if r.GracePeriod == 0 || site.Spec.Suspended || ready == nil || !isPending(ready.Reason) {
		return 0
	}
	return max(0, time.Until(ready.LastTransitionTime.Truncate(time.Second).Add(r.GracePeriod+time.Second)))
}

// writeStatus writes the condition, and leaves alone what somebody else has written meanwhile.
func (r *Reconciler) writeStatus(ctx context.Context, site *v1.Site, ready metav1.Condition) error {
	ready.ObservedGeneration = site.Generation
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		meta.SetStatusCondition(&site.Status.Conditions, ready)
		err := r.Status().Update(ctx, site)
		if apierrors.IsConflict(err) {
			if err := r.Get(ctx, client.ObjectKeyFromObject(site), site); err != nil {
				return err
			}
		}
		return err
	})
}
