package push

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/projector"
)

const (
	// countTime is for how long changes are gathered before the copies in a cluster are counted.
	countTime = 3 * time.Second
	// firstRetry and lastRetry are the shortest and the longest pause after a failure.
	firstRetry, lastRetry = time.Second, 5 * time.Minute
)

func newTended() workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstRetry, lastRetry))
}

// tend keeps what RemoteClusters say of the copies there until the context ends. It makes requests to the cluster of the rules only.
func (c *Clusters) tend() error {
	for _, kind := range []client.Object{&v1.ClusterProjection{}, &v1.Projection{}} {
		informer, err := c.options.Informers.GetInformer(c.ctx, kind, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watch the rules that copy from and into other clusters: %w", err)
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(rule any) { c.ruleChanged(nil, rule) },
			UpdateFunc: c.ruleChanged,
			DeleteFunc: func(rule any) { c.ruleChanged(rule, nil) },
		}); err != nil {
			return fmt.Errorf("watch the rules that copy from and into other clusters: %w", err)
		}
	}
	go func() {
		<-c.ctx.Done()
		c.tended.ShutDown()
	}()
	go func() {
		for c.tendNext() {
		}
	}()
	return nil
}

// use says that a rule copies from a cluster, or may have copies in it.
type use struct {
	cluster  string
	isSource bool
}

// ruleChanged has the clusters tended that the two versions of a rule use in different ways.
//
// Example: a rule has its source in a cluster, and has no copies there any more. The RemoteCluster, which is being deleted, waited for that.
func (c *Clusters) ruleChanged(before, after any) {
	for changed := range usesOf(before).SymmetricDifference(usesOf(after)) {
		c.tended.Add(changed.cluster)
	}
}

func usesOf(rule any) sets.Set[use] {
	if gone, isGone := rule.(toolscache.DeletedFinalStateUnknown); isGone {
		rule = gone.Obj
	}
	uses := sets.Set[use]{}
	add := func(source v1.SourceRef) {
		if source.IsRemote() {
			uses.Insert(use{cluster: source.Cluster, isSource: true})
		}
	}
	switch of := rule.(type) {
	case *v1.ClusterProjection:
		for _, name := range projector.RecordedClusters(of) {
			uses.Insert(use{cluster: name})
		}
		add(of.Spec.Source)
	case *v1.Projection:
		add(of.Spec.Source)
	}
	return uses
}

// tendNext tends the next cluster. It returns false if there is none any more.
func (c *Clusters) tendNext() bool {
	name, ended := c.tended.Get()
	if ended {
		return false
	}
	defer c.tended.Done(name)
	err := c.catchPanic(func() error { return c.tendOne(c.ctx, name) })
	switch {
	case err == nil:
		c.tended.Forget(name)
	case c.ctx.Err() == nil:
		if _, starts := errors.AsType[*cache.ErrResourceNotCached](err); !starts && !apierrors.IsConflict(err) {
			log.FromContext(c.ctx).Error(err, "A RemoteCluster may say late which copies are there", "cluster", name)
		}
		c.tended.AddRateLimited(name)
	}
	return true
}

func (c *Clusters) tendOne(ctx context.Context, name string) error {
	remote, err := c.declared(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		c.forgetLeaving(name)
		return nil
	case err != nil:
		return err
	}
	recording, err := c.recording(ctx, c.options.Client, name)
	if err != nil {
		return err
	}
	switch {
	case remote.DeletionTimestamp != nil:
		if hasGone, err := c.leave(ctx, remote, recording); hasGone || err != nil {
			return err
		}
	case len(recording) > 0:
		if err := c.hold(ctx, remote); err != nil {
			return err
		}
	}
	c.pay(remote) //nolint:contextcheck // what it begins ends with the branch
	return c.count(ctx, remote, recording)
}

// recording returns the names of the rules that may have copies in the cluster.
func (c *Clusters) recording(ctx context.Context, reader client.Reader, cluster string) (names []string, err error) {
	list := &v1.ClusterProjectionList{}
	if err := reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for i := range list.Items {
		if projector.RecordedIdentity(&list.Items[i], cluster) != "" {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

// Claim implements projector.Fanout.
func (c *Clusters) Claim(ctx context.Context, cluster string) error {
	remote, err := c.declared(ctx, cluster)
	if err != nil {
		return err
	}
	return c.holdNow(ctx, remote)
}

// holdNow is hold for a RemoteCluster that the cache may have in an earlier version: its status has just been written.
func (c *Clusters) holdNow(ctx context.Context, remote *v1alpha1.RemoteCluster) error {
	isCached := true
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if !isCached {
			live := &v1alpha1.RemoteCluster{}
			if err := c.options.Hub.Live.Get(ctx, client.ObjectKeyFromObject(remote), live); err != nil {
				return err
			}
			remote = live
		}
		isCached = false
		return c.hold(ctx, remote)
	})
}

// hold puts the finalizer on the RemoteCluster.
func (c *Clusters) hold(ctx context.Context, remote *v1alpha1.RemoteCluster) error {
	if controllerutil.ContainsFinalizer(remote, v1.FinalizerRemoteCluster) {
		return nil
	}
	return c.patch(ctx, remote, func(held *v1alpha1.RemoteCluster) { controllerutil.AddFinalizer(held, v1.FinalizerRemoteCluster) })
}

func (c *Clusters) patch(ctx context.Context, remote *v1alpha1.RemoteCluster, change func(*v1alpha1.RemoteCluster)) error {
	changed := remote.DeepCopy()
	change(changed)
	return c.options.Client.Patch(ctx, changed, client.MergeFromWithOptions(remote, client.MergeFromWithOptimisticLock{}))
}
