package publication

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// state is what of a copy decides what is to be done.
type state struct {
	at              types.NamespacedName
	uid             types.UID
	resourceVersion string
	origin          Origin
	originUID       types.UID
	hash            string // of its content, as it says
	fields          uint64 // that the operator owns
	labelled        string // the value of the label
	status          uint64 // a hash of what its status for the consumer depends on
	terminating     bool
}

func stateOf(object metav1.Object, marks marks) (state, bool) {
	origin, uid, found := originOf(object)
	if !found || !marks.own(object) {
		return state{}, false
	}
	return state{
		at: placeOf(object), uid: object.GetUID(), resourceVersion: object.GetResourceVersion(), origin: origin, originUID: uid,
		hash: object.GetAnnotations()[v1.AnnotationContentHash], fields: ownFields(object), labelled: object.GetLabels()[marks.label()],
		terminating: object.GetDeletionTimestamp() != nil,
	}, true
}

// copies knows the copies of a PublishedResource. The watch tells of whole objects; of those, what is needed is kept, and the whole object until its status
// is where it belongs. It is safe for concurrent use.
type copies struct {
	marks  marks
	notify func(origin Origin, why reasons) // must not block
	left   func(namespace string)           // as well; a copy is not in the namespace any more

	mu       sync.Mutex
	byOrigin map[Origin]*entry
	byPlace  map[types.NamespacedName]*entry
	waiting  map[types.NamespacedName]map[Origin]bool // who wants the place of another copy
	writing  map[Origin]bool                          // whose copies are being written: what follows from the answer is not news
}

// entry is a copy, and what the operator did with it.
type entry struct {
	state

	whole   *unstructured.Unstructured // nil: its status is where it belongs
	written uint64                     // the fields that the operator owned after its last write; 0: it has not written
	sent    uint64                     // a hash of the status that the object of the consumer has; 0: that is not known
}

func newCopies(marks marks, notify func(Origin, reasons), left func(string)) *copies {
	return &copies{
		marks: marks, notify: notify, left: left,
		byOrigin: map[Origin]*entry{}, byPlace: map[types.NamespacedName]*entry{}, waiting: map[types.NamespacedName]map[Origin]bool{},
		writing: map[Origin]bool{},
	}
}

// Replace implements watch.EventHandler.
func (c *copies) Replace(objects []metav1.Object, _ string) {
	listed := map[types.NamespacedName]bool{}
	for _, object := range objects {
		listed[placeOf(object)] = true
		c.Event(object, false)
	}
	c.mu.Lock()
	var gone []*entry
	for at, entry := range c.byPlace {
		if !listed[at] {
			gone = append(gone, entry)
		}
	}
	c.mu.Unlock()
	for _, entry := range gone {
		c.forget(entry.at, entry.uid)
	}
}

// Event implements watch.EventHandler.
func (c *copies) Event(object metav1.Object, deleted bool) {
	seen, isOurs := stateOf(object, c.marks)
	if deleted || !isOurs {
		c.forget(placeOf(object), object.GetUID())
		return
	}
	whole, _ := object.(*unstructured.Unstructured)
	if why := c.observe(seen, whole); why != 0 {
		c.notify(seen.origin, why)
	}
}

// observe notes a copy as it is now, and returns what has to be done for it.
func (c *copies) observe(seen state, whole *unstructured.Unstructured) (why reasons) {
	if whole != nil {
		seen.status = statusHash(whole)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byPlace[seen.at]
	switch {
	case known == nil || known.origin != seen.origin || known.uid != seen.uid:
		c.remove(known)
		known = &entry{}
		c.byPlace[seen.at] = known
		why = down
	case !watch.IsNewer(seen.resourceVersion, known.resourceVersion):
		return 0
	}
	if other := c.byOrigin[seen.origin]; other == nil || other.terminating {
		c.byOrigin[seen.origin] = known
	}
	if known.status != seen.status {
		why |= up
	}
	if known.status != seen.status || known.whole != nil {
		known.whole = whole
	}
	if known.written != 0 && known.written != seen.fields || seen.terminating != known.terminating {
		why |= down
	}
	known.state = seen
	if c.writing[seen.origin] {
		why &^= down
	}
	return why
}

// remove removes what is known of a copy. The lock is held.
func (c *copies) remove(known *entry) {
	if known == nil {
		return
	}
	delete(c.byPlace, known.at)
	if c.byOrigin[known.origin] == known {
		delete(c.byOrigin, known.origin)
	}
}

// statusHash returns a hash of all that the status for the consumer can depend on: the status, and for expressions the rest besides its metadata.
func statusHash(whole *unstructured.Unstructured) uint64 {
	content := map[string]any{}
	for field, value := range whole.Object {
		if field != metadataField {
			content[field] = value
		}
	}
	return hashOf(content)
}

// forget notes that the object is not at the place any more, and has those look who want the place.
func (c *copies) forget(at types.NamespacedName, uid types.UID) {
	c.mu.Lock()
	gone := c.byPlace[at]
	if gone == nil || gone.uid != uid {
		c.mu.Unlock()
		return
	}
	c.remove(gone)
	waiting := c.waiting[at]
	delete(c.waiting, at)
	c.mu.Unlock()
	c.notify(gone.origin, down)
	for origin := range waiting {
		c.notify(origin, down)
	}
	if at.Namespace != "" {
		c.left(at.Namespace)
	}
}

// isUsed reports whether a copy is in the namespace.
func (c *copies) isUsed(namespace string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.byPlace {
		if at.Namespace == namespace {
			return true
		}
	}
	return false
}

// of returns what is known of the copy of an origin.
func (c *copies) of(origin Origin) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byOrigin[origin]; known != nil {
		return *known, true
	}
	return entry{}, false
}

// occupant returns the origin whose copy is at the place, if that is another one, which is then waited for.
func (c *copies) occupant(at types.NamespacedName, of Origin) (Origin, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byPlace[at]
	if known == nil || known.origin == of {
		return Origin{}, false
	}
	if c.waiting[at] == nil {
		c.waiting[at] = map[Origin]bool{}
	}
	c.waiting[at][of] = true
	return known.origin, true
}

// write calls the function, which writes the copy of the origin and returns it as it is then; nil: it was not written.
func (c *copies) write(origin Origin, send func() (*unstructured.Unstructured, error)) error {
	c.mu.Lock()
	c.writing[origin] = true
	c.mu.Unlock()
	object, err := send()
	written, isOurs := state{}, false
	if object != nil {
		written, isOurs = stateOf(object, c.marks)
	}
	if isOurs {
		c.observe(written, object)
	}
	c.mu.Lock()
	delete(c.writing, origin)
	known := c.byOrigin[origin]
	isNews := false
	if isOurs && known != nil && known.uid == written.uid {
		known.written = written.fields
		isNews = known.fields != written.fields || known.terminating
	}
	c.mu.Unlock()
	if isNews {
		c.notify(origin, down)
	}
	return err
}

// inSync notes that the copy is as it should be.
func (c *copies) inSync(of state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byPlace[of.at]; known != nil && known.uid == of.uid && known.fields == of.fields {
		known.written = of.fields
	}
}

// sent notes that the consumer has the status with that hash, which was made of a copy as it was then.
func (c *copies) sent(of state, status uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byPlace[of.at]
	if known == nil || known.uid != of.uid {
		return
	}
	known.sent = status
	if known.status == of.status {
		known.whole = nil
	}
}

// inCluster returns the origins in a cluster that have a copy.
func (c *copies) inCluster(identity string) (origins []Origin) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for origin := range c.byOrigin {
		if origin.Cluster == identity {
			origins = append(origins, origin)
		}
	}
	return origins
}

// clusters returns how many copies there are, by the clusters of their origins.
func (c *copies) clusters() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := map[string]int{}
	for origin := range c.byOrigin {
		counts[origin.Cluster]++
	}
	return counts
}
