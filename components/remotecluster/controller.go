package remotecluster

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/api/v1alpha1"
)

const (
	// tokenTime is how often the token of the operator itself is read, which its node renews.
	tokenTime = time.Minute
	// definitionTime is how often to look whether RemoteClusters are defined again that were deleted with their definition.
	definitionTime = time.Minute
	// actionConnect is the action of all events.
	actionConnect = "Connect"
)

// reconciler turns what is known of one RemoteCluster into its status. It waits for no other cluster.
type reconciler struct {
	client       client.Client
	live         client.Reader
	registry     *Registry
	declarations *declarations
	needed       Needed
	recorder     events.EventRecorder
	clock        clock.PassiveClock
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var remote v1alpha1.RemoteCluster
	if err := r.client.Get(ctx, request.NamespacedName, &remote); err != nil {
		if apierrors.IsNotFound(err) {
			return r.forget(ctx, request.Name)
		}
		return reconcile.Result{}, err
	}
	refused, again := r.isRefused(request.Name)
	declared, unread := r.declarations.read(ctx, &remote, refused)
	if unread != nil && declared.problem == nil {
		return reconcile.Result{}, unread // nothing is known
	}
	facts, err := r.factsOf(ctx, &remote, declared)
	if err != nil {
		return reconcile.Result{}, err
	}
	wait, err := r.report(ctx, &remote, facts)
	switch {
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: time.Second}, nil // the cache is behind
	case err != nil || unread != nil:
		return reconcile.Result{}, errors.Join(unread, client.IgnoreNotFound(err))
	}
	if remote.Spec.Access.InCluster != nil {
		again = earlier(again, tokenTime)
	}
	return reconcile.Result{RequeueAfter: earlier(again, wait)}, nil
}

// forget ends what is kept for a RemoteCluster that was deleted. If it was deleted with its definition, the connection stays.
func (r *reconciler) forget(ctx context.Context, name string) (reconcile.Result, error) {
	if r.registry.member(name) != nil {
		isDefined, err := isDefined(ctx, r.live)
		if err != nil {
			return reconcile.Result{}, err
		}
		if !isDefined {
			log.FromContext(ctx).Info("The definition of RemoteClusters was deleted; the connection to the cluster stays",
				"advice", "apply "+definitionFile+", and then the RemoteCluster")
			return reconcile.Result{RequeueAfter: definitionTime}, nil
		}
	}
	r.declarations.forget(ctx, name)
	r.registry.remove(name)
	return reconcile.Result{}, nil
}

// factsOf connects the RemoteCluster as declared, and returns what is known of it.
func (r *reconciler) factsOf(ctx context.Context, remote *v1alpha1.RemoteCluster, declared declaration) (facts, error) {
	facts := facts{declared: declared.problem, now: r.clock.Now()}
	member, err := r.connect(ctx, remote, declared)
	if err != nil {
		return facts, err
	}
	if member != nil {
		needed, err := r.needed(ctx, remote)
		if err != nil {
			return facts, err
		}
		member.rights.need(needed)
		known := member.found()
		facts.found = &known
	}
	facts.duplicate, err = r.duplicateOf(ctx, remote, facts.found)
	return facts, err
}

// report writes the status, and has rules use the cluster if its identity is recorded in it. It returns when the status changes if nothing else does.
func (r *reconciler) report(ctx context.Context, remote *v1alpha1.RemoteCluster, facts facts) (time.Duration, error) {
	status, wait := facts.status(remote)
	r.registry.withLeaving(remote, &status)
	if r.registry.isClosed() {
		return 0, errClosed // what there was of members is closed
	}
	if err := r.write(ctx, remote, status); err != nil {
		return 0, err
	}
	if remote.Status.ObservedGeneration != remote.Generation {
		r.registry.notify(remote.Name)
	}
	isRecorded := facts.found != nil && status.Identity != "" && status.Identity == string(facts.found.identity)
	r.registry.offer(ctx, remote.Name, isRecorded && facts.duplicate == "")
	return wait, nil
}

// isRefused reports whether the cluster has refused the credentials since they were read, or when to ask that again.
func (r *reconciler) isRefused(name string) (bool, time.Duration) {
	member := r.registry.member(name)
	if member == nil {
		return false, 0
	}
	return member.takeRefused()
}

// earlier returns the shorter of two pauses, of which 0 is none.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// connect returns the member of the RemoteCluster, which is reached as declared, or as it was declared before; nil: neither can be used.
func (r *reconciler) connect(ctx context.Context, remote *v1alpha1.RemoteCluster, declared declaration) (*Member, error) {
	member := r.registry.member(remote.Name)
	if member != nil && isReplaced(member, remote, declared) {
		r.registry.remove(remote.Name)
		member = nil
	}
	if member != nil {
		member.limit(remote.Spec.Limits)
	}
	switch {
	case declared.problem != nil:
		return member, nil
	case member == nil:
		return r.registry.open(ctx, remote, declared.access)
	default:
		member.pin(recordedIdentity(remote))
		member.use(declared.access)
		return member, nil
	}
}

// isReplaced reports whether a member is of no use for the RemoteCluster: it is of an earlier one with the same name, has another home, or another
// access and no identity yet that is recorded, so that it may be another cluster from now on.
func isReplaced(member *Member, remote *v1alpha1.RemoteCluster, declared declaration) bool {
	return member.uid != remote.UID || member.home != homeOf(remote) ||
		recordedIdentity(remote) == "" && declared.problem == nil && !reflect.DeepEqual(member.wanted(), declared.access)
}

// recordedIdentity returns the identity that the cluster has to have; empty: none was seen yet.
func recordedIdentity(remote *v1alpha1.RemoteCluster) types.UID {
	if remote.Spec.Identity != "" {
		return types.UID(remote.Spec.Identity)
	}
	return types.UID(remote.Status.Identity)
}

// write writes the status, unless it is what it was, and an event for what has changed.
func (r *reconciler) write(ctx context.Context, remote *v1alpha1.RemoteCluster, status v1alpha1.RemoteClusterStatus) error {
	before := remote.Status
	if equality.Semantic.DeepEqual(before, status) {
		return nil
	}
	changed := remote.DeepCopy()
	changed.Status = status
	if err := r.client.Status().Update(ctx, changed); err != nil {
		return err
	}
	for _, kind := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionConnected, v1alpha1.ConditionPermitted, v1alpha1.ConditionFenced} {
		r.record(remote, meta.FindStatusCondition(before.Conditions, kind), meta.FindStatusCondition(status.Conditions, kind))
	}
	return nil
}

// quiet are reasons without an event: the event of Connected says enough.
var quiet = []string{v1alpha1.ReasonAccepted, v1alpha1.ReasonPermitted, v1alpha1.ReasonLeaseHeld}

// record records an event if a condition has changed, and says something now.
func (r *reconciler) record(remote *v1alpha1.RemoteCluster, before, after *metav1.Condition) {
	isSame := before != nil && before.Status == after.Status && before.Reason == after.Reason
	switch {
	case isSame || slices.Contains(quiet, after.Reason) || after.Status == metav1.ConditionUnknown:
	case after.Status == metav1.ConditionTrue:
		r.recorder.Eventf(remote, nil, corev1.EventTypeNormal, after.Reason, actionConnect, "%s", after.Message)
	default:
		r.recorder.Eventf(remote, nil, corev1.EventTypeWarning, after.Reason, actionConnect, "%s", after.Message)
	}
}
