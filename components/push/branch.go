package push

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// branch writes the copies in one cluster.
type branch struct {
	name, kind string
	member     *remotecluster.Member
	ctx        context.Context //nolint:containedctx // it ends with the branch
	rules      *rules
	namespaces *namespaces
	clients    reach.Clients
	inventory  *destination.Inventory
	resolver   *source.Resolver
	writer     *destination.Writer
	end        context.CancelFunc
}

// open opens the branch of a cluster. The lock is held.
func (c *Clusters) open(name string, member *remotecluster.Member) *branch {
	ctx, end := context.WithCancel(c.ctx)
	kind := owner.ClusterProjection.In(name, c.options.Hub.ID)
	b := &branch{name: name, kind: kind.String(), member: member, ctx: ctx, end: end}
	enqueue := func(rule watch.RuleKey, trigger watch.Trigger, noticed time.Time) {
		b.rules.Enqueue(rule, trigger, noticed)
		c.tended.AddAfter(name, countTime)
	}
	resume := func(rule watch.RuleKey) { b.rules.Requeue(rule) }

	clients, witness := reach.ClientsOf(member), member.Presence()
	objects := watch.NewWitnessedObjects(ctx, clients.Metadata, witness)
	blockers := watch.NewBlockers(objects, enqueue)
	hub := c.options.Hub
	hub.Recorder, hub.Metrics, hub.WritersOf = silent{}, c.metrics, nil
	hub.Permissions, hub.Names = watch.NewPermissions(), watch.NewNames()
	known := openNamespaces(ctx, name, clients.Metadata, witness, c.options.Client)
	namespaces := clusterprojection.NewNamespaces(known, c.options.ExcludedNamespaces, hub.Permissions, hub.Names)
	namespaces.Set(clusterprojection.Cluster{Kind: kind, ScopeOf: func(of rule) (clusterprojection.Scope, error) { return c.scopeOf(of, name) }})
	b.namespaces, b.clients = known, clients
	b.resolver = source.NewResolver(clients.Discovery, source.Registry{Metadata: clients.Metadata, Objects: clients.Dynamic}, source.AnyCluster)
	b.inventory, b.writer = newInventory(ctx, kind, clients, enqueue, witness), c.newWriter(clients, blockers)
	destination := &remote{name: name, member: member, clusters: c}
	b.rules = c.rules.NewBranch(clusterprojection.Adapter(namespaces), hub, projector.Member{
		SourceCluster: projector.SourceCluster{
			Objects:  objects,
			Resolver: b.resolver,
		},
		Cluster:       name,
		Blockers:      blockers,
		Inventory:     b.inventory,
		Writer:        b.writer,
		Writes:        newWrites(c.options.Limits, resume),
		ServerVersion: member.Version,
	}, projector.Branch[rule]{
		Destination: destination,
		IsTarget:    func(of rule) (bool, error) { return c.isTarget(of, name) },
		Prepare:     func(ctx context.Context, of rule) error { return c.createNamespaces(ctx, b, of, destination.User()) },
		MayWrite:    func(of rule) bool { return c.mayWrite(b, client.ObjectKeyFromObject(of)) },
		Leaves:      func() projector.Leaving { return c.leaves(name) },
		Restore:     func(of rule) { c.restore(of, name) },
		Report:      func(of rule, report projector.Report) { c.report(b, of, report) },
	})
	known.onChange(namespaces.Changes(ctx, enqueue)) // which needs the rules
	go func() {
		if err := b.rules.Run(ctx, c.options.Workers); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Copies in the cluster are not reconciled", "cluster", name)
		}
	}()
	return b
}

func newInventory(
	ctx context.Context, kind owner.RuleKind, clients reach.Clients, enqueue watch.EnqueueFunc, witness watch.Witness,
) *destination.Inventory {
	return destination.NewWitnessedInventory(ctx, kind, clients.Metadata, enqueue, witness)
}

func newWrites(limits lane.Limits, resume func(watch.RuleKey)) *lane.Lanes[destination.Outcome] {
	return lane.New[destination.Outcome](limits, lane.ByNamespace, resume)
}

func (c *Clusters) newWriter(clients reach.Clients, blockers destination.Blockers) *destination.Writer {
	return &destination.Writer{
		Client: c.options.Client, Metadata: clients.Metadata, Writes: clients.Writes, Objects: clients.Content, Access: clients.Access, Blockers: blockers,
	}
}

// enqueueAll enqueues the rules that concern the cluster.
func (b *branch) enqueueAll(ctx context.Context) {
	if err := b.rules.EnqueueAll(ctx); err != nil && ctx.Err() == nil {
		log.FromContext(ctx).Error(err, "Rules may learn late that their cluster has changed", "cluster", b.name)
	}
}

// silent records no events: the projector of the rules says what the branches report.
type silent struct{}

// Eventf implements events.EventRecorder.
func (silent) Eventf(runtime.Object, runtime.Object, string, string, string, string, ...any) {}
