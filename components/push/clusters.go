package push

import (
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// rule is the kind of rules that copy into other clusters, and rules its projector.
type (
	rule  = *v1.ClusterProjection
	rules = projector.Projector[rule]
)

// Options are what Clusters need. All are required.
type Options struct {
	// Client reads rules and RemoteClusters from the cache, and components are converged with it.
	Client client.Client
	// Informers are those of the Client.
	Informers cache.Informers
	// IsShard reports whether there may be rules that the Client does not know.
	IsShard bool
	// Registry has the connections.
	Registry *remotecluster.Registry
	Clock    clock.WithDelayedExecution
	// Hub is the cluster of the rules, and HubID its identity.
	Hub projector.Hub
	// ExcludedNamespaces are those that no selector selects, in every cluster.
	ExcludedNamespaces []string
	// Limits bound the writes into one cluster.
	Limits lane.Limits
	// Workers is how many rules are reconciled in one cluster at a time.
	Workers int
}

// Clusters are the clusters that copies are written into. They implement projector.Fanout, and are safe for concurrent use.
type Clusters struct {
	options Options
	ctx     context.Context                              //nolint:containedctx // branches end with it
	metrics *metrics.Metrics                             // of the branches
	tended  workqueue.TypedRateLimitingInterface[string] // the names of RemoteClusters

	mu       sync.Mutex
	rules    *rules
	branches map[string]*branch
	reports  map[types.NamespacedName]*reports
	leaving  map[string]types.UID // of RemoteClusters whose deletion counts
	paying   map[string]bool      // whether the debts of the cluster are being paid
}

// New returns the clusters, whose branches end with the context.
func New(ctx context.Context, options Options) (*Clusters, error) {
	c := &Clusters{
		options: options, ctx: ctx, branches: map[string]*branch{}, reports: map[types.NamespacedName]*reports{},
		leaving: map[string]types.UID{}, paying: map[string]bool{}, tended: newTended(),
	}
	var err error
	c.metrics, err = options.Hub.Metrics.Elsewhere()
	return c, err
}

// Serve begins to write copies of the rules that the projector reconciles.
func (c *Clusters) Serve(of *rules) error {
	c.mu.Lock()
	c.rules = of
	c.mu.Unlock()
	if err := c.tend(); err != nil {
		return err
	}
	reach.Observe(c.ctx, c.options.Client, c.options.Registry, c.options.Clock, c.changed)
	return nil
}

// Reconcile implements projector.Fanout.
func (c *Clusters) Reconcile(of rule, cluster string) {
	branch, key := c.branchOf(cluster), client.ObjectKeyFromObject(of)
	if branch == nil {
		return // a change of the cluster enqueues the rule
	}
	if c.isAsked(key, cluster, versionOf(of, cluster)) {
		return
	}
	branch.rules.Enqueue(watch.RuleKey{Kind: branch.kind, NamespacedName: key}, watch.RuleChanged, time.Now())
}

// Forget implements projector.Fanout.
func (c *Clusters) Forget(of types.NamespacedName) {
	c.mu.Lock()
	delete(c.reports, of)
	open := make([]*branch, 0, len(c.branches))
	for _, branch := range c.branches {
		open = append(open, branch)
	}
	c.mu.Unlock()
	for _, branch := range open {
		branch.rules.Forget(of)
	}
}

// DefinitionsChanged enqueues the rules of all branches whose source is of the API group; "" stands for all groups.
func (c *Clusters) DefinitionsChanged(ctx context.Context, group string) {
	for _, branch := range c.openBranches() {
		if err := branch.rules.DefinitionsChanged(ctx, group); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Rules may learn late that their kind has changed", "cluster", branch.name, "group", group)
		}
	}
}

// SourceClusterChanged enqueues the rules with their source in that cluster, in the branches of the clusters that they copy into.
func (c *Clusters) SourceClusterChanged(ctx context.Context, cluster string) error {
	list, noticed := &v1.ClusterProjectionList{}, time.Now()
	if err := c.options.Client.List(ctx, list, projector.SourcesIn(cluster), client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range list.Items {
		for _, branch := range c.openBranches() {
			if mayConcern(&list.Items[i], branch.name) {
				branch.rules.Enqueue(watch.RuleKey{Kind: branch.kind, NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}, watch.SourceChanged, noticed)
			}
		}
	}
	return nil
}

// Enqueue enqueues a rule in the branch of that kind, and reports whether there is one.
func (c *Clusters) Enqueue(key watch.RuleKey, trigger watch.Trigger, noticed time.Time) {
	if branch := c.branchOfKind(key.Kind); branch != nil {
		branch.rules.Enqueue(key, trigger, noticed)
	}
}

// Requeue enqueues a rule in the branch of that kind, since a request of an earlier reconcile has ended.
func (c *Clusters) Requeue(key watch.RuleKey) {
	if branch := c.branchOfKind(key.Kind); branch != nil {
		branch.rules.Requeue(key)
	}
}

// changed has the rules that copy into the cluster reconciled, since something has changed for them.
func (c *Clusters) changed(name string) {
	c.close(name)
	if branch := c.openBranch(name); branch != nil {
		branch.enqueueAll(c.ctx)
	}
	c.enqueueRules(name)
	c.tended.Add(name)
}

// enqueueRules enqueues the rules that may copy into the cluster.
func (c *Clusters) enqueueRules(cluster string) {
	list := &v1.ClusterProjectionList{}
	if err := c.options.Client.List(c.ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		if c.ctx.Err() == nil {
			log.FromContext(c.ctx).Error(err, "Rules may learn late that their cluster has changed", "cluster", cluster)
		}
		return
	}
	for i := range list.Items {
		if mayConcern(&list.Items[i], cluster) {
			c.clusterChanged(client.ObjectKeyFromObject(&list.Items[i]))
		}
	}
}

func (c *Clusters) openBranches() []*branch {
	c.mu.Lock()
	defer c.mu.Unlock()
	open := make([]*branch, 0, len(c.branches))
	for _, branch := range c.branches {
		open = append(open, branch)
	}
	return open
}

// openBranch returns the branch of the cluster; nil: there is none.
func (c *Clusters) openBranch(name string) *branch {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.branches[name]
}

// branchOfKind returns the branch whose rules are of that kind; nil: there is none.
func (c *Clusters) branchOfKind(kind string) *branch {
	name, _ := strings.CutPrefix(kind, owner.ClusterProjection.Name+owner.In)
	return c.openBranch(name)
}

// branchOf returns the branch of the cluster, which it opens if there is none yet; nil: the cluster cannot be used.
func (c *Clusters) branchOf(name string) *branch {
	c.mu.Lock()
	defer c.mu.Unlock()
	member, found := c.options.Registry.Get(name)
	known := c.branches[name]
	if !found || c.ctx.Err() != nil || known != nil && known.member == member {
		return known
	}
	if known != nil {
		c.end(known)
	}
	opened := c.open(name, member)
	c.branches[name] = opened
	return opened
}

// close ends the branch of a cluster that is not declared any more.
func (c *Clusters) close(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.branches[name]; known != nil && !c.options.Registry.IsDeclared(name) {
		c.end(known)
	}
}

// end ends a branch, and forgets what it has reported. The lock is held.
func (c *Clusters) end(branch *branch) {
	branch.end()
	delete(c.branches, branch.name)
	for _, of := range c.reports {
		of.drop(branch.name)
	}
}
