package publication

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/watch"
)

// objectWatch watches the objects of a consumer, and its namespaces if they count.
type objectWatch struct {
	at         *side
	resource   schema.GroupVersionResource
	stream     *watch.Stream
	namespaces *watch.Stream // nil: they do not count
	labels     *namespaceLabels
}

func (w *objectWatch) close() {
	w.stream.Close()
	if w.namespaces != nil {
		w.namespaces.Close()
	}
}

// watchObjects begins to watch the objects of the consumer, unless it does.
func (c *consumer) watchObjects(at *side, v view) {
	byNamespace := v.offer.namespaces != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watching
	if w != nil && w.at == at && w.resource == v.resource() && (w.namespaces != nil) == byNamespace {
		return
	}
	if w != nil {
		go w.close()
	}
	w = &objectWatch{at: at, resource: v.resource(), labels: &namespaceLabels{consumer: c, known: map[string]map[string]string{}}}
	if byNamespace {
		namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
		w.namespaces = watch.Open(at.ctx, "namespaces of "+c.cluster, at.witnessed(all(at.Metadata.Resource(namespaces)).Of(namespaces)), watch.Store(w.labels))
	}
	w.stream = watch.Open(at.ctx, "objects of "+c.indexed(), at.witnessed(all(at.Metadata.Resource(w.resource)).Of(w.resource)), watch.Store(objects{c}))
	c.watching = w
	go c.addAll() // also those of which there is a copy only
}

// all lists and watches the metadata of all objects.
func all(client metadata.Getter) watch.Source { return watch.ByLabel(client, "") }

// objects takes the events of objects of a consumer.
type objects struct{ c *consumer }

// Replace implements watch.EventHandler.
func (o objects) Replace(listed []metav1.Object, _ string) {
	found := map[types.NamespacedName]bool{}
	for _, object := range listed {
		found[placeOf(object)] = true
		o.Event(object, false)
	}
	o.c.mu.Lock()
	var gone []types.NamespacedName
	for key := range o.c.seen {
		if !found[key] {
			gone = append(gone, key)
			delete(o.c.seen, key)
		}
	}
	o.c.mu.Unlock()
	for _, key := range gone {
		o.c.add(key, down)
	}
}

// Event implements watch.EventHandler.
func (o objects) Event(object metav1.Object, deleted bool) {
	key := placeOf(object)
	o.c.mu.Lock()
	if deleted {
		delete(o.c.seen, key)
		o.c.mu.Unlock()
		o.c.add(key, down)
		return
	}
	seen := fingerprint(object)
	isNews := o.c.seen[key] != seen
	o.c.seen[key] = seen
	o.c.mu.Unlock()
	if isNews {
		o.c.add(key, changed)
	}
}

// namespaceLabels knows the labels of the namespaces of a consumer.
type namespaceLabels struct {
	consumer *consumer

	mu    sync.Mutex
	known map[string]map[string]string
}

func (n *namespaceLabels) of(namespace string) map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[namespace]
}

// Replace implements watch.EventHandler.
func (n *namespaceLabels) Replace(listed []metav1.Object, _ string) {
	found := map[string]map[string]string{}
	for _, namespace := range listed {
		found[namespace.GetName()] = namespace.GetLabels()
	}
	n.mu.Lock()
	n.known = found
	n.mu.Unlock()
	n.consumer.addAll()
}

// Event implements watch.EventHandler.
func (n *namespaceLabels) Event(namespace metav1.Object, deleted bool) {
	n.mu.Lock()
	isNews := hashOf(n.known[namespace.GetName()]) != hashOf(namespace.GetLabels())
	n.known[namespace.GetName()] = namespace.GetLabels()
	if deleted {
		delete(n.known, namespace.GetName())
	}
	n.mu.Unlock()
	if !isNews {
		return
	}
	for _, key := range n.consumer.keys() {
		if key.Namespace == namespace.GetName() {
			n.consumer.add(key, down)
		}
	}
}
