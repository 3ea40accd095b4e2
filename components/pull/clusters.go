package pull

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// patience is for how long a cluster may be between two connections before its rules are told.
const patience = 5 * time.Second

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
	seen   map[string]seen
}

// opened is a cluster with what is known of it for rules.
type opened struct {
	cluster *projector.SourceCluster
	member  *remotecluster.Member // nil: it cannot be used
	end     context.CancelFunc
}

// New returns the clusters, whose watches end with the context.
func New(ctx context.Context, options Options) *Clusters {
	c := &Clusters{options: options, ctx: ctx, opened: map[string]*opened{}, seen: map[string]seen{}}
	options.Registry.OnChange(c.changed)
	return c
}

// SourceCluster returns the cluster of the RemoteCluster with that name, even if there is none. It is the same one for as long as the connection is.
func (c *Clusters) SourceCluster(name string) *projector.SourceCluster {
	member, _ := c.options.Registry.Get(name)
	c.mu.Lock()
	defer c.mu.Unlock()
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
	c.opened[name] = next
	return next.cluster
}

// changed has the rules of a cluster enqueued if something has changed for them. It does not block.
func (c *Clusters) changed(name string) { go c.look(name) }

// seen is what rules depend on of a cluster.
type seen struct {
	member     *remotecluster.Member
	isReached  bool
	isAnother  bool
	uid        types.UID // of the RemoteCluster
	generation int64
}

// look enqueues the rules of a cluster: at once, and once more when one that is between two connections counts as unreachable.
func (c *Clusters) look(name string) {
	if !c.options.Registry.IsDeclared(name) {
		c.drop(name)
	}
	now := c.see(name)
	c.mu.Lock()
	isNews := c.seen[name] != now
	c.seen[name] = now
	c.mu.Unlock()
	if !isNews {
		return
	}
	c.enqueueAll(name)
	if !now.isReached {
		c.options.Clock.AfterFunc(patience, func() { go c.enqueueAll(name) })
	}
}

func (c *Clusters) see(name string) (now seen) {
	declared := &v1alpha1.RemoteCluster{}
	if err := c.options.Client.Get(c.ctx, client.ObjectKey{Name: name}, declared); err == nil {
		now.uid, now.generation = declared.UID, declared.Generation
	}
	member, found := c.options.Registry.Get(name)
	if !found {
		return now
	}
	_, cause := member.State()
	_, now.isAnother = errors.AsType[*fleet.IdentityError](cause)
	now.member, now.isReached = member, cause == nil
	return now
}

// drop ends the watches in a cluster that is not declared any more.
func (c *Clusters) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, found := c.opened[name]; found {
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
