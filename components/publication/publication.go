package publication

import (
	"context"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"projection.sh/operator/components/watch"
)

// publication is what the operator does for one PublishedResource. It is safe for concurrent use.
type publication struct {
	engine *Engine
	name   string
	ctx    context.Context //nolint:containedctx // watches and passes end with it
	end    context.CancelFunc

	mu          sync.Mutex
	offer       *offer // nil: there is none yet that can be used
	api         *api   // nil: it has to be read
	isRenewed   bool   // the offer is another one than that of the last passes
	offered     schema.GroupVersionResource
	service     *side
	copies      *copies
	stream      *watch.Stream
	consumers   map[string]*consumer // by the names of their RemoteClusters
	generations map[string]int64     // of RemoteClusters, as they were last
	dropped     map[string]bool      // consumers of which nothing is left, and the publication is being deleted
	emptied     namespaceQueue
	abandoned   []string // clusters that nobody waits for
}

// view is what a pass needs to know. It never changes.
type view struct {
	offer   *offer
	api     *api
	service *side
	copies  *copies
	stream  *watch.Stream
}

func (p *publication) view() (view, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return view{p.offer, p.api, p.service, p.copies, p.stream}, p.api != nil && (p.stream != nil || p.api.isWithdrawn)
}

func (p *publication) close() {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.consumers {
		c.close()
	}
}

// use makes this the offer from now on. If it is another one, all objects are looked at when it is known how the kind is served.
func (p *publication) use(o *offer) {
	p.mu.Lock()
	isNew := p.offer == nil || p.offer.generation != o.generation || p.offer.marks != o.marks || p.offer.deleting != o.deleting
	if isNew {
		p.offer, p.api, p.isRenewed = o, nil, true
	}
	p.mu.Unlock()
}

// serve makes this how the kind is offered, and watches the copies.
func (p *publication) serve(service *side, offered *api) {
	p.mu.Lock()
	isAnother := p.isRenewed || p.offered != offered.consumer.GroupVersionResource
	p.isRenewed = false
	p.api, p.offered = offered, offered.consumer.GroupVersionResource
	if p.stream == nil || p.service != service {
		if p.stream != nil {
			go p.stream.Close() // it waits for an event that may wait for the lock
		}
		p.service, p.copies = service, newCopies(p.offer.marks, p.copyChanged, p.emptied.enqueue)
		source := copiesOf(service.Dynamic.Resource(offered.service.GroupVersionResource), p.offer.marks.label())
		p.stream = watch.Open(p.ctx, "copies of "+p.name, service.witnessed(source.Of(offered.service.GroupVersionResource)), watch.Store(p.copies))
		isAnother = true
	}
	consumers := slices.Collect(maps.Values(p.consumers))
	p.mu.Unlock()
	if isAnother {
		p.emptied.enqueue(everyNamespace)
	}
	for _, c := range consumers {
		if isAnother {
			c.addAll()
		} else {
			c.add(definitionKey, down)
		}
	}
}

// copiesOf lists and watches the whole objects that have the label.
func copiesOf(client dynamic.NamespaceableResourceInterface, label string) watch.Source {
	return watch.Source{
		List: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			if options.ResourceVersion == "0" {
				options.ResourceVersion = "" // a cache of the API server may be older than the last write
			}
			options.LabelSelector = label
			return client.List(ctx, options)
		},
		Watch: func(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			options.LabelSelector = label
			return client.Watch(ctx, options)
		},
	}.Whole()
}

// copyChanged has the object of a consumer looked at whose copy has changed.
func (p *publication) copyChanged(origin Origin, why reasons) {
	p.mu.Lock()
	var of *consumer
	for _, c := range p.consumers {
		if c.identity() == origin.Cluster {
			of = c
		}
	}
	p.mu.Unlock()
	if of != nil {
		of.add(origin.key(), why)
	} // a consumer that is opened later begins with all copies
}

// consumerOfKind returns the consumer whose objects have that kind in indexes; nil: there is none.
func (p *publication) consumerOfKind(kind string) *consumer {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.consumers {
		if c.indexed() == kind {
			return c
		}
	}
	return nil
}

func (p *publication) clusterChanged(ctx context.Context, name string) {
	isRenewed := p.isDeclaredAnew(ctx, name)
	p.mu.Lock()
	ofService := p.offer != nil && p.offer.spec.Service.Cluster == name
	var concerned []*consumer
	for _, c := range p.consumers {
		if ofService || c.cluster == name {
			concerned = append(concerned, c)
		}
	}
	p.mu.Unlock()
	for _, c := range concerned {
		if isRenewed {
			c.addAll()
		} else {
			c.addFailed()
		}
	}
}

// isDeclaredAnew reports whether the RemoteCluster declares something else than it did before, such as another scope.
func (p *publication) isDeclaredAnew(ctx context.Context, name string) bool {
	declared, err := p.engine.sides.declared(ctx, name)
	if err != nil || declared.RemoteCluster == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.generations[name]
	p.generations[name] = declared.Generation
	return before != declared.Generation
}

func (p *publication) definitionChanged(cluster string, resource schema.GroupResource) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.offer == nil {
		return
	}
	isAny := resource == schema.GroupResource{}
	if spec := p.offer.spec.Service; spec.Cluster == cluster && (isAny || resource.Group == spec.Resource.Group) {
		p.api = nil
		p.engine.enqueue(p.name, 0)
	}
	if c := p.consumers[cluster]; c != nil && (isAny || resource.Group == p.offered.Group) {
		c.add(definitionKey, down)
	}
}
