package push

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/remotecluster"
)

// leaves says what becomes of the copies in the cluster since its RemoteCluster is being deleted.
func (c *Clusters) leaves(name string) projector.Leaving {
	remote, err := c.declared(c.ctx, name)
	switch {
	case err != nil || !c.isLeaving(remote):
		return projector.Stays
	case remote.Spec.DeletionPolicy == v1alpha1.DeletionOrphan:
		return projector.Orphans
	default:
		return projector.Deletes
	}
}

// isLeaving reports whether the RemoteCluster is being deleted, and not only since its definition is: then the copies stay as they are.
func (c *Clusters) isLeaving(remote *v1alpha1.RemoteCluster) bool {
	if remote.DeletionTimestamp == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaving[remote.Name] == remote.UID
}

// noteLeaving notes that the deletion of the RemoteCluster counts.
func (c *Clusters) noteLeaving(name string, uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving[name] = uid
}

func (c *Clusters) forgetLeaving(name string) {
	c.mu.Lock()
	delete(c.leaving, name)
	c.mu.Unlock()
	c.options.Registry.SayLeaving(name, "")
}

// leave removes the finalizer of a RemoteCluster that is being deleted if no rule may have copies there. It reports whether it did. If RemoteClusters are
// no longer defined, it removes the finalizer, and the copies and what rules record stay.
func (c *Clusters) leave(ctx context.Context, remote *v1alpha1.RemoteCluster, recording []string) (hasGone bool, err error) {
	if !controllerutil.ContainsFinalizer(remote, v1.FinalizerRemoteCluster) {
		return false, nil
	}
	if !c.isLeaving(remote) {
		isDefined, err := remotecluster.IsDefined(ctx, c.options.Hub.Live)
		switch {
		case err != nil:
			return false, err
		case !isDefined:
			return true, c.release(ctx, remote)
		}
		c.noteLeaving(remote.Name, remote.UID)
		if branch := c.openBranch(remote.Name); branch != nil {
			branch.enqueueAll(ctx)
		}
		c.enqueueRules(remote.Name)
	}
	member, _ := c.options.Registry.Get(remote.Name)
	isUsable := c.isUsable(remote, member)
	if len(recording) == 0 && (!owesHere(remote) || !isUsable) {
		if recording, err = c.recording(ctx, c.options.Hub.Live, remote.Name); err != nil {
			return false, err
		}
		if len(recording) == 0 {
			return true, c.release(ctx, remote)
		}
	}
	c.options.Registry.SayLeaving(remote.Name, waitsFor(remote, recording, isUsable))
	return false, nil
}

func (c *Clusters) release(ctx context.Context, remote *v1alpha1.RemoteCluster) error {
	return client.IgnoreNotFound(c.patch(ctx, remote, func(left *v1alpha1.RemoteCluster) {
		controllerutil.RemoveFinalizer(left, v1.FinalizerRemoteCluster)
	}))
}

// isUsable reports whether copies can be deleted in the cluster now.
func (c *Clusters) isUsable(remote *v1alpha1.RemoteCluster, member *remotecluster.Member) bool {
	if member == nil || remote.Spec.Paused {
		return false
	}
	_, cause := member.State()
	return cause == nil && member.Writable() == nil
}

// waitsFor says what a RemoteCluster waits for that is being deleted.
func waitsFor(remote *v1alpha1.RemoteCluster, recording []string, isUsable bool) string {
	ends := "deleted"
	if remote.Spec.DeletionPolicy == v1alpha1.DeletionOrphan {
		ends = "made ordinary objects"
	}
	rules := fmt.Sprintf("%d rules", len(recording))
	switch len(recording) {
	case 0:
		return "the RemoteCluster is being deleted, and waits until what status.owed lists is " + ends
	case 1:
		rules = "the ClusterProjection " + recording[0]
	}
	message := fmt.Sprintf("the RemoteCluster is being deleted, and waits until the copies of %s there are %s", rules, ends)
	if isUsable {
		return message
	}
	why := "nothing can be written there now"
	if remote.Spec.Paused {
		why = "the RemoteCluster is paused"
	}
	return fmt.Sprintf("%s; %s; to end that: "+
		"kubectl projection abandon clusterprojection/%s --cluster %s", message, why, recording[0], remote.Name)
}
