package property_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// witness sees every event of the objects in a history, and not only how they are in the end:
//   - An object that the operator creates has all of its marks at once, and is where a rule has wanted a copy since the last quiet point.
//   - From a quiet point on, until the history changes what is wanted or deletes something, no copy is deleted.
//   - Copies of a rule that has been CreateOnly since the last quiet point keep their content.
//
// An API server that is restarted ends the watches. What happens until they are open again is not seen.
type witness struct {
	world  oracle.World
	client client.WithWatch
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex
	seen     map[types.UID]bool
	wanted   map[oracle.Place][]string // since the last quiet point
	created  map[oracle.Place][]string // by the operator, since the last quiet point: its rules
	last     map[types.UID]*unstructured.Unstructured
	keeping  map[string]string // rules whose copies keep their content since the last quiet point, with their sources
	settled  bool              // nothing that is wanted has changed since the last quiet point
	since    int64             // resourceVersion of the last quiet point
	problems []string
}

func newWitness(config client.WithWatch, world oracle.World) *witness {
	w := &witness{
		world: world, client: config, seen: map[types.UID]bool{},
		wanted: map[oracle.Place][]string{}, created: map[oracle.Place][]string{}, last: map[types.UID]*unstructured.Unstructured{},
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	for _, kind := range world.Kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		w.done.Go(func() { w.watch(ctx, list) })
	}
	return w
}

// end ends the watches.
func (w *witness) end() {
	w.stop()
	w.done.Wait()
}

func (w *witness) watch(ctx context.Context, list *unstructured.UnstructuredList) {
	for ctx.Err() == nil {
		before := list.DeepCopy()
		if err := w.client.List(ctx, before); err == nil {
			w.begins(before)
			w.follow(ctx, list, before.GetResourceVersion())
		}
		select {
		case <-ctx.Done():
		case <-time.After(interval):
		}
	}
}

// begins takes what is there when a watch begins: who made it, and what was there before, is not known.
func (w *witness) begins(list *unstructured.UnstructuredList) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range list.Items {
		w.seen[list.Items[i].GetUID()], w.last[list.Items[i].GetUID()] = true, &list.Items[i]
	}
}

func (w *witness) follow(ctx context.Context, list *unstructured.UnstructuredList, from string) {
	events, err := w.client.Watch(ctx, list.DeepCopy(), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: from}})
	if err != nil {
		return
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if object, ok := event.Object.(*unstructured.Unstructured); ok {
			w.event(event.Type, object)
		}
	}
}

func (w *witness) event(event watch.EventType, object *unstructured.Unstructured) {
	at, maker := oracle.PlaceOf(object), maker(object)
	w.mu.Lock()
	defer w.mu.Unlock()
	mine := strings.HasPrefix(at.Namespace, w.world.Prefix) || w.world.Marks(object)
	known, late := w.seen[object.GetUID()], versionOf(object) <= w.since
	before := w.last[object.GetUID()]
	w.seen[object.GetUID()], w.last[object.GetUID()] = true, object
	switch {
	case !mine || maker == "" || late:
	case event == watch.Deleted && w.settled:
		w.problems = append(w.problems, fmt.Sprintf("the copy %s of %s was deleted although nothing had changed", at, maker))
	case event == watch.Added && !known:
		w.created[at] = append(w.created[at], maker)
		w.problems = append(w.problems, unmarked(at, object)...)
	case event == watch.Modified && before != nil:
		w.problems = append(w.problems, overwritten(w.keeping, before, object)...)
	}
}

// versionOf returns the resourceVersion, which this API server takes from one counter for all kinds.
func versionOf(object interface{ GetResourceVersion() string }) int64 {
	version, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(err)
	}
	return version
}

// maker returns the rule that has created the object: its field manager applied it before anybody else wrote. It returns "" for the
// objects of others.
func maker(object *unstructured.Unstructured) string {
	for _, entry := range object.GetManagedFields() {
		ofRule := strings.HasPrefix(entry.Manager, v1.KindProjection+"/") || strings.HasPrefix(entry.Manager, v1.KindClusterProjection+"/")
		if ofRule && entry.Operation == metav1.ManagedFieldsOperationApply {
			return entry.Manager
		}
	}
	return ""
}

// unmarked returns which marks an object lacks that the operator has just created.
func unmarked(at oracle.Place, object *unstructured.Unstructured) []string {
	var problems []string
	annotations, labels := object.GetAnnotations(), object.GetLabels()
	owners := 0
	for _, marks := range [][2]string{
		{v1.AnnotationOwnedByProjection, v1.LabelOwnedByProjectionUID}, {v1.AnnotationOwnedByClusterProjection, v1.LabelOwnedByClusterProjectionUID},
	} {
		if annotations[marks[0]] != "" && labels[marks[1]] != "" {
			owners++
		}
	}
	if owners != 1 {
		problems = append(problems, fmt.Sprintf("the copy %s was created with the marks of %d rules: %v %v", at, owners, annotations, labels))
	}
	if annotations[v1.AnnotationPlace] != at.Namespace+"/"+at.Name || annotations[v1.AnnotationContentHash] == "" {
		problems = append(problems, fmt.Sprintf("the copy %s was created without its place or its hash: %v", at, annotations))
	}
	return problems
}

// unsettles notes that the history is about to change what is wanted.
func (w *witness) unsettles() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settled = false
}

// edits notes that the history is about to change the rule.
func (w *witness) edits(rule client.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.keeping, fieldManager(rule))
}

// wants notes what is wanted now.
func (w *witness) wants(wanted map[oracle.Place][]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at, rules := range wanted {
		w.wanted[at] = append(w.wanted[at], rules...)
	}
}

// quiet returns what the witness has seen since the last quiet point and ought not to have, and begins anew: with what is wanted now, and
// with the events that are later than the resourceVersion.
func (w *witness) quiet(wanted map[oracle.Place][]string, keeping map[string]string, since int64) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	problems := w.problems
	for at, makers := range w.created {
		for _, maker := range makers {
			if !slices.Contains(w.wanted[at], maker) {
				problems = append(problems, fmt.Sprintf("%s has created a copy %s, where it wanted none: %v", maker, at, w.wanted[at]))
			}
		}
	}
	w.problems, w.settled, w.wanted, w.keeping, w.since = nil, true, wanted, keeping, since
	clear(w.created)
	slices.Sort(problems)
	return problems
}
