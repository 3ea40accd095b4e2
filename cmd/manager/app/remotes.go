package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app/fence"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/pull"
	"projection.sh/operator/components/push"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// connectRemotes returns the clusters that RemoteClusters declare; nil: the flag is not set. Without the flag, nothing is asked for RemoteClusters. The
// fence is around the connections to them, too, unless it is nil.
func connectRemotes(mgr manager.Manager, options Options, guard *fence.Fence, needed remotecluster.Needed) (*remotecluster.Registry, error) {
	if !options.RemoteClusters {
		return nil, nil //nolint:nilnil // there are none
	}
	namespace, isKnown := options.namespace()
	if !isKnown {
		return nil, errors.New("--remote-clusters: outside of a pod the Secrets with the kubeconfigs need a place; set --leader-election-namespace")
	}
	config := mgr.GetConfig()
	needs := remotecluster.Options{
		Namespace: namespace, HubID: options.HubID, UserAgent: config.UserAgent, Retry: options.RequeueInterval, Needed: needed,
		InCluster: func() (fleet.Access, error) { return remotecluster.AccessOf(config) },
	}
	if guard != nil {
		needs.Dial, needs.Wrap = guard.Dialer(nil), guard.Elsewhere
	}
	return remotecluster.Add(mgr, needs)
}

// readElsewhere has rules read their sources in other clusters, unless the flag is not set.
func (w *wiring) readElsewhere(ctx context.Context, mgr manager.Manager, options Options) error {
	if w.remotes == nil {
		return nil
	}
	identity, err := fleet.Ask(ctx, w.clients.Metadata)
	if err != nil {
		return fmt.Errorf("--remote-clusters: read the uid of the namespace kube-system: %w", err)
	}
	clusters := pull.New(ctx, pull.Options{
		Client: mgr.GetClient(), Registry: w.remotes, Clock: clock.RealClock{}, Limits: limits(options, options.MaxConcurrentReconciles),
		Enqueue: w.enqueue, Resume: w.requeue, EnqueueAll: w.clusterChanged,
	})
	w.hub.ID, w.hub.Identity, w.hub.SourceCluster = cmp.Or(options.HubID, string(identity)), string(identity), clusters.SourceCluster
	w.hub.Metrics.ScrapeClusters(measureClusters(ctx, mgr.GetClient()))
	if err := w.followRules(ctx, mgr.GetCache()); err != nil {
		return err
	}
	return watch.Namespaces(ctx, mgr.GetCache(), func(before, after metav1.Object) { w.namespaceChanged(ctx, before, after) })
}

// namespaceChanged enqueues the Projections of a namespace with their source in another cluster, if that may have become one that may read there, or
// may do so no longer.
func (w *wiring) namespaceChanged(ctx context.Context, before, after metav1.Object) {
	if after == nil || before != nil && maps.Equal(before.GetLabels(), after.GetLabels()) || ctx.Err() != nil {
		return
	}
	if err := w.projectors[v1.KindProjection].NamespaceChanged(ctx, after.GetName()); err != nil && ctx.Err() == nil {
		log.FromContext(ctx).Error(err, "Projections may learn late that the labels of their namespace have changed", "namespace", after.GetName())
	}
}

// installClusterProjections runs the projector of ClusterProjections. Without --remote-clusters, it writes no copies into other clusters.
func (w *wiring) installClusterProjections(ctx context.Context, mgr manager.Manager, namespaces *clusterprojection.Namespaces, options Options) error {
	adapter := clusterprojection.Adapter(namespaces)
	if w.remotes == nil {
		_, err := install(ctx, w, mgr, adapter, options.MaxConcurrentReconciles)
		return err
	}
	hub := w.hub
	hub.Schema = w.schemaOf(adapter.Kind.Name, adapter.New())
	var err error
	w.push, err = push.New(ctx, push.Options{
		Client: mgr.GetClient(), Informers: mgr.GetCache(), IsShard: !w.config.Selector.Empty(),
		Registry: w.remotes, Clock: clock.RealClock{}, Hub: hub, ExcludedNamespaces: options.ExcludedNamespaces(),
		Limits: limits(options, writesPerNamespace), Workers: branchWorkers,
	})
	if err != nil {
		return err
	}
	adapter.Fanout = w.push
	namespaces.Set(clusterprojection.Cluster{Kind: adapter.Kind, ScopeOf: w.push.HubScope})
	rules, err := install(ctx, w, mgr, adapter, options.MaxConcurrentReconciles)
	if err != nil {
		return err
	}
	return w.push.Serve(rules)
}

// branchWorkers is how many rules are reconciled in one other cluster at a time.
const branchWorkers = 2

// clusterChanged enqueues the rules of both kinds with their source in that cluster, wherever their copies are.
func (w *wiring) clusterChanged(ctx context.Context, cluster string) error {
	var errs []error
	for _, projector := range w.projectors {
		errs = append(errs, projector.ClusterChanged(ctx, cluster))
	}
	if w.push != nil {
		errs = append(errs, w.push.SourceClusterChanged(ctx, cluster))
	}
	return errors.Join(errs...)
}
