package sim

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	// firstRevision is that of the first object. Those below are of other objects that any cluster has.
	firstRevision = 100
	// remembered is how many changes at least a watch may be behind.
	remembered = 1000
)

// key is where an object is among those of its kind.
type key struct{ namespace, name string }

func (k key) compare(other key) int {
	return cmp.Or(cmp.Compare(k.namespace, other.namespace), cmp.Compare(k.name, other.name))
}

// stored is an object in one version. It is never changed.
type stored struct {
	object runtime.Object
	meta   metav1.Object // of the object
}

func (s stored) key() key { return key{s.meta.GetNamespace(), s.meta.GetName()} }

// change is one that watches are told of.
type change struct {
	revision      int64
	kind          *kind
	before, after *stored // nil: there was, or is, no object
}

// store is the objects of one cluster, and their last changes. All share one revision, as in etcd.
type store struct {
	mu       sync.Mutex
	objects  map[*kind]map[key]*stored
	revision int64
	changes  []change
	floor    int64         // changes up to that revision are forgotten
	changed  chan struct{} // closed at the next change
	observer func(watch.EventType, metav1.Object)
}

func newStore() *store {
	return &store{objects: map[*kind]map[key]*stored{}, revision: firstRevision, floor: firstRevision, changed: make(chan struct{}),
		observer: func(watch.EventType, metav1.Object) {}}
}

func (s *store) observe(do func(watch.EventType, metav1.Object)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observer = do
}

func (s *store) get(of *kind, at key) (*stored, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, exists := s.objects[of][at]
	return found, exists
}

// selection is which objects of a kind are wanted.
type selection struct {
	kind      *kind
	namespace string // empty: all
	labels    labels.Selector
	fields    fields.Selector
}

func (s selection) has(object *stored) bool {
	if object == nil || s.namespace != "" && object.meta.GetNamespace() != s.namespace {
		return false
	}
	return s.labels.Matches(labels.Set(object.meta.GetLabels())) && s.fields.Matches(fields.Set{
		"metadata.name": object.meta.GetName(), "metadata.namespace": object.meta.GetNamespace(),
	})
}

// list returns the selected objects in order, and the present revision.
func (s *store) list(wanted selection) ([]*stored, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*stored
	for _, object := range s.objects[wanted.kind] {
		if wanted.has(object) {
			found = append(found, object)
		}
	}
	slices.SortFunc(found, func(a, b *stored) int { return a.key().compare(b.key()) })
	return found, s.revision
}

// event is what a watch says of a change.
type event struct {
	watch.EventType

	object *stored
}

// since returns what has happened to the selected objects after the revision, up to which revision, and what is closed when more happens. It returns
// false if that is forgotten.
func (s *store) since(wanted selection, revision int64) (events []event, upTo int64, more <-chan struct{}, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision < s.floor {
		return nil, 0, nil, false
	}
	begin, _ := slices.BinarySearchFunc(s.changes, revision+1, func(c change, at int64) int { return cmp.Compare(c.revision, at) })
	for _, change := range s.changes[begin:] {
		if change.kind == wanted.kind {
			events = append(events, wanted.see(change)...)
		}
	}
	return events, s.revision, s.changed, true
}

// see returns what a watch of the selection says of the change.
func (s selection) see(c change) []event {
	before, after := s.has(c.before), s.has(c.after)
	switch {
	case before && after:
		return []event{{watch.Modified, c.after}}
	case after:
		return []event{{watch.Added, c.after}}
	case before: // as it was, in the version of the change
		last, err := at(c.revision, c.before.object.DeepCopyObject())
		if err != nil { // it was stored
			panic(err)
		}
		return []event{{watch.Deleted, last}}
	default:
		return nil
	}
}

// forget drops all changes.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes, s.floor = nil, s.revision
}

// commit writes the object, or deletes what is there if it is nil, and gives the change the next revision. The lock is held.
func (s *store) commit(of *kind, place key, object runtime.Object) (*stored, error) {
	c := change{revision: s.revision + 1, kind: of, before: s.objects[of][place]}
	if object != nil {
		var err error
		if c.after, err = at(c.revision, object); err != nil {
			return nil, err
		}
	}
	s.revision++
	switch {
	case c.after == nil:
		delete(s.objects[of], place)
	case s.objects[of] == nil:
		s.objects[of] = map[key]*stored{place: c.after}
	default:
		s.objects[of][place] = c.after
	}
	s.remember(c)
	return c.after, nil
}

// at returns the object as stored in that revision.
func at(revision int64, object runtime.Object) (*stored, error) {
	written, err := newStored(object)
	if err != nil {
		return nil, err
	}
	written.meta.SetResourceVersion(strconv.FormatInt(revision, 10))
	return written, nil
}

// remember keeps the change for watches, and tells them of it. Old ones are dropped.
func (s *store) remember(c change) {
	if len(s.changes) >= 2*remembered {
		s.changes = slices.Clone(s.changes[remembered:])
		s.floor = s.changes[0].revision - 1
	}
	s.changes = append(s.changes, c)
	switch {
	case c.after == nil:
		s.observer(watch.Deleted, c.before.meta)
	case c.before == nil:
		s.observer(watch.Added, c.after.meta)
	default:
		s.observer(watch.Modified, c.after.meta)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}
