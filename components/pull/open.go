package pull

import (
	"context"

	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// open returns the cluster as rules read from it. Nil: there is no connection, and every request fails.
func (c *Clusters) open(ctx context.Context, name string, member *remotecluster.Member) *projector.SourceCluster {
	clients := reach.ClientsOf(member)
	objects := watch.NewObjects(ctx, clients.Metadata)
	if member != nil {
		objects = watch.NewWitnessedObjects(ctx, clients.Metadata, member.Presence())
	}
	remote := &remote{name: name, member: member, clusters: c}
	from := &projector.SourceCluster{
		Objects:  objects,
		Resolver: source.NewResolver(clients.Discovery, source.Registry{Metadata: clients.Metadata, Objects: clients.Dynamic}, source.AnyCluster),
		Reader:   source.NewReader(clients.Content, clients.Metadata),
		Sources:  watch.NewSources(objects, c.options.Enqueue),
		Reads:    lane.New[projector.Fetched](c.options.Limits, lane.ByKind, c.options.Resume),
		Remote:   remote,
	}
	remote.brake = newBrake(c.options.Clock, from.Sources.Len)
	return from
}
