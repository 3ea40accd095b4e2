package pull

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// Options are what Clusters need. All are required.
type Options struct {
	// Client reads RemoteClusters and the metadata of namespaces from the cache.
	Client client.Reader
	// Registry has the connections.
	Registry *remotecluster.Registry
	// Clock is that of the connections.
	Clock clock.WithDelayedExecution
	// Limits bound the reads of sources of one cluster.
	Limits lane.Limits
	// Requeue is when to look again at a cluster that may be used again without an event.
	Requeue time.Duration
	// Enqueue enqueues a rule whose source has changed, and Resume one whose read has ended.
	Enqueue watch.EnqueueFunc
	Resume  func(watch.RuleKey)
	// EnqueueAll enqueues all rules with their source in the RemoteCluster of that name.
	EnqueueAll func(ctx context.Context, cluster string) error
}

// Clusters are the clusters that sources are read from. They are safe for concurrent use.
type Clusters struct {
	options Options
	ctx     context.Context //nolint:containedctx // watches end with it

	mu     sync.Mutex
	opened map[string]*opened
}

// opened is a cluster with what is known of it for rules.
type opened struct {
	cluster *projector.SourceCluster
	member  *remotecluster.Member // nil: it cannot be used
	end     context.CancelFunc
}

// New returns the clusters, whose watches end with the context.
func New(ctx context.Context, options Options) *Clusters {
	c := &Clusters{options: options, ctx: ctx, opened: map[string]*opened{}}
	reach.Observe(ctx, options.Client, options.Registry, options.Clock, c.changed)
	return c
}

// SourceCluster returns the cluster of the RemoteCluster with that name, even if there is none. It is the same one for as long as the connection is.
func (c *Clusters) SourceCluster(name string) *projector.SourceCluster {
	c.mu.Lock()
	defer c.mu.Unlock()
	member, _ := c.options.Registry.Get(name)
	known, found := c.opened[name]
	// Without a member, what was opened before goes on: whether that one comes back is not known.
	if found && (known.member == member || member == nil) {
		return known.cluster
	}
	if found {
		known.end()
	}
	ctx, end := context.WithCancel(c.ctx)
	next := &opened{member: member, end: end}
	next.cluster = c.open(ctx, name, member)
	if member == nil && !c.options.Registry.IsDeclared(name) {
		end() // rules may name any cluster, and nothing is kept of one that cannot be read
		return next.cluster
	}
	c.opened[name] = next
	return next.cluster
}

// changed enqueues the rules of a cluster of which something has changed for them.
func (c *Clusters) changed(name string) {
	c.drop(name)
	c.enqueueAll(name)
}

// drop ends the watches in a cluster that is not declared any more.
func (c *Clusters) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.opened[name]; found && !c.options.Registry.IsDeclared(name) {
		known.end()
		delete(c.opened, name)
	}
}

func (c *Clusters) enqueueAll(name string) {
	if c.ctx.Err() != nil {
		return
	}
	if err := c.options.EnqueueAll(c.ctx, name); err != nil && c.ctx.Err() == nil {
		log.FromContext(c.ctx).Error(err, "Rules may learn late that their cluster has changed", "cluster", name)
	}
}
