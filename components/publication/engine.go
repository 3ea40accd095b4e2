package publication

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// Options are what an Engine needs. All are required.
type Options struct {
	// Client reads PublishedResources and RemoteClusters from the cache, and writes the former.
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// Registry has the connections.
	Registry *remotecluster.Registry
	// Hub are the ways to the operator's own cluster, and HubID is its identity.
	Hub      reach.Clients
	HubID    string
	Recorder events.EventRecorder
	Clock    clock.WithDelayedExecution
	Metrics  *metrics.Metrics
	// Retry is how often to look again for what no event tells of.
	Retry time.Duration
}

// Engine serves PublishedResources. It is safe for concurrent use.
type Engine struct {
	options Options
	sides   *sides
	enqueue func(name string, after time.Duration) // in the queue of the controller

	mu           sync.Mutex
	publications map[string]*publication
}

// newEngine returns an engine whose watches end with the context.
func newEngine(ctx context.Context, options Options, enqueue func(string, time.Duration)) *Engine {
	e := &Engine{options: options, enqueue: enqueue, publications: map[string]*publication{}}
	e.sides = &sides{options: options, ctx: ctx, engine: e, opened: map[string]*side{}}
	reach.Observe(ctx, options.Client, options.Registry, options.Clock, func(name string) { e.clusterChanged(ctx, name) })
	return e
}

// publication returns that of the PublishedResource.
func (e *Engine) publication(name string) *publication {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.publications[name]; known != nil {
		return known
	}
	p := &publication{engine: e, name: name, consumers: map[string]*consumer{}, dropped: map[string]bool{}, generations: map[string]int64{},
		emptied: newNamespaceQueue(e.options.Retry)}
	p.ctx, p.end = context.WithCancel(e.sides.ctx)
	context.AfterFunc(p.ctx, p.emptied.ShutDown)
	go p.removeEmptyNamespaces(p.ctx)
	e.publications[name] = p
	return p
}

// forget ends what is done for a PublishedResource that is gone.
func (e *Engine) forget(name string) {
	e.mu.Lock()
	known := e.publications[name]
	delete(e.publications, name)
	e.mu.Unlock()
	if known != nil {
		known.close()
	}
}

func (e *Engine) all() []*publication {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*publication, 0, len(e.publications))
	for _, p := range e.publications {
		all = append(all, p)
	}
	return all
}

// clusterChanged has everything looked at again that a change of the RemoteCluster of that name concerns.
func (e *Engine) clusterChanged(ctx context.Context, name string) {
	e.sides.changed(name)
	list := &v1alpha1.PublishedResourceList{}
	if err := e.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		logError(ctx, err, "PublishedResources may learn late that their cluster has changed", "")
		return
	}
	for i := range list.Items {
		e.enqueue(list.Items[i].Name, 0)
	}
	for _, p := range e.all() {
		p.clusterChanged(ctx, name)
	}
}

// definitionChanged has the publications look that use a cluster in which the definition of a resource was changed. A zero resource stands for all.
func (e *Engine) definitionChanged(cluster string, resource schema.GroupResource) {
	for _, p := range e.all() {
		p.definitionChanged(cluster, resource)
	}
}

// relatedChanged has an object looked at of which a related one has changed.
func (e *Engine) relatedChanged(rule watch.RuleKey, _ watch.Trigger, _ time.Time) {
	for _, p := range e.all() {
		if c := p.consumerOfKind(rule.Kind); c != nil {
			c.add(rule.NamespacedName, related)
		}
	}
}
