package pull

import (
	"context"
	"net/http"
	"net/url"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// open returns the cluster as rules read from it. Nil: there is no connection, and every request fails.
func (c *Clusters) open(ctx context.Context, name string, member *remotecluster.Member) *projector.SourceCluster {
	config := &rest.Config{Host: "https://unknown.invalid", Transport: unknown{}}
	if member != nil {
		config = member.Config()
		config.Transport = slotted{member.Slots(), config.Transport}
	}
	clients, err := newClients(config)
	if err != nil { // the configuration is one of ours
		panic(err)
	}
	objects := watch.NewObjects(ctx, clients.metadata)
	if member != nil {
		objects = watch.NewWitnessedObjects(ctx, clients.metadata, member.Presence())
	}
	remote := &remote{name: name, member: member, clusters: c}
	from := &projector.SourceCluster{
		Objects:  objects,
		Resolver: source.NewResolver(clients.discovery, source.Registry{Metadata: clients.metadata, Objects: clients.objects}, source.AnyCluster),
		Reader:   source.NewReader(clients.content, clients.metadata),
		Sources:  watch.NewSources(objects, c.options.Enqueue),
		Reads:    lane.New[projector.Fetched](c.options.Limits, lane.ByKind, c.options.Resume),
		Remote:   remote,
	}
	remote.brake = newBrake(c.options.Clock, from.Sources.Len)
	return from
}

// clients are the ways to the API server of another cluster.
type clients struct {
	discovery *discovery.DiscoveryClient
	metadata  metadata.Interface
	objects   dynamic.Interface
	content   dynamic.Interface // in the names of the users that the contexts of its requests name
}

func newClients(config *rest.Config) (clients, error) {
	var c clients
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return c, err
	}
	named, err := impersonate.NewClient(config, client)
	if err != nil {
		return c, err
	}
	if c.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, client); err != nil {
		return c, err
	}
	if c.metadata, err = metadata.NewForConfigAndClient(config, client); err != nil {
		return c, err
	}
	if c.objects, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		return c, err
	}
	c.content, err = dynamic.NewForConfigAndClient(config, named)
	return c, err
}

// unknown is the way to a cluster of which nothing is known.
type unknown struct{}

func (unknown) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &fleet.UnreachableError{}
}

// slotted takes a slot of the cluster for each request that is no watch.
type slotted struct {
	slots *fleet.Slots
	next  http.RoundTripper
}

func (s slotted) RoundTrip(request *http.Request) (*http.Response, error) {
	if isWatch(request.URL) {
		return s.next.RoundTrip(request)
	}
	slot, err := s.slots.Acquire(request.Context())
	if err != nil {
		return nil, err
	}
	response, err := s.next.RoundTrip(request)
	slot.Release(utilnet.IsTimeout(err))
	return response, err
}

func isWatch(of *url.URL) bool {
	value := of.Query().Get("watch")
	return value == "true" || value == "1"
}
