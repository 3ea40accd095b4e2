package remotecluster

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
)

// Rules that copy into a RemoteCluster put a finalizer on it.
// +kubebuilder:rbac:groups=projection.sh,resources=remoteclusters,verbs=get;patch

// IsDefined reports whether RemoteClusters are defined to stay. If not, the deletion of one says nothing about its copies.
func IsDefined(ctx context.Context, live client.Reader) (bool, error) { return isDefined(ctx, live) }

// SayLeaving has the status of a RemoteCluster that is being deleted say what it waits for; empty: for nothing.
func (r *Registry) SayLeaving(name, waits string) {
	r.mu.Lock()
	isNew := r.leaving[name] != waits
	if r.leaving[name] = waits; waits == "" {
		delete(r.leaving, name)
	}
	r.mu.Unlock()
	if isNew {
		r.notify(name)
	}
}

// withLeaving has the condition Ready say what the RemoteCluster waits for if it is being deleted.
func (r *Registry) withLeaving(remote *v1alpha1.RemoteCluster, status *v1alpha1.RemoteClusterStatus) {
	r.mu.RLock()
	waits := r.leaving[remote.Name]
	r.mu.RUnlock()
	if remote.DeletionTimestamp == nil || waits == "" {
		return
	}
	ready := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDeleting, Message: waits, ObservedGeneration: remote.Generation,
	}
	if before := meta.FindStatusCondition(remote.Status.Conditions, v1alpha1.ConditionReady); before != nil && before.Status == ready.Status {
		ready.LastTransitionTime = before.LastTransitionTime
	}
	meta.SetStatusCondition(&status.Conditions, ready)
}
