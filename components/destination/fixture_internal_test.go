package destination

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

var (
	at     = types.NamespacedName{Namespace: "here", Name: "settings"}
	mine   = types.NamespacedName{Namespace: "here", Name: "mine"}
	theirs = types.NamespacedName{Namespace: "here", Name: "theirs"}
)

const (
	wanted   = "hash-1"
	ourUID   = types.UID("uid-of-mine")
	ourSet   = `{"f:data":{"f:color":{}}}`
	otherSet = `{"f:data":{}}`
)

// fakeWatch is an index without a watch; the test says what the API server tells.
type fakeWatch struct {
	*copyIndex
	kind   owner.RuleKind
	queued []types.NamespacedName
}

func newFakeWatch() *fakeWatch {
	return &fakeWatch{copyIndex: newCopyIndex(time.Now), kind: owner.Projection}
}

// enqueued returns which rules were enqueued since it was called last.
func (w *fakeWatch) enqueued() []types.NamespacedName {
	queued := w.queued
	w.queued = nil
	return queued
}

func (w *fakeWatch) changed(object *metav1.PartialObjectMetadata) { w.event(object, true) }

func (w *fakeWatch) vanished(object *metav1.PartialObjectMetadata) { w.event(object, false) }

func (w *fakeWatch) event(object *metav1.PartialObjectMetadata, exists bool) {
	w.queued = append(w.queued, w.observe(observationOf(w.kind, object, exists))...)
}

func (w *fakeWatch) list(resourceVersion string, objects ...metav1.Object) {
	list := make([]observation, len(objects))
	for i, object := range objects {
		list[i] = observationOf(w.kind, object, true)
	}
	w.queued = append(w.queued, w.replace(list, resourceVersion)...)
}

// end ends a write with the answer of the API server.
func (w *fakeWatch) end(rule types.NamespacedName, hash string, state State) {
	w.queued = append(w.queued, w.endWrite(at, rule, hash, state)...)
}

// write lets the rule write what the API server then has.
func (w *fakeWatch) write(rule types.NamespacedName, object *metav1.PartialObjectMetadata) {
	w.beginWrite(at, rule, wanted)
	w.end(rule, wanted, stateOf(w.kind, object))
}

func (w *fakeWatch) copiesOf(rule types.NamespacedName) []Copy { return w.unplanned(rule, nil) }

func (w *fakeWatch) missingOf(rule types.NamespacedName) []types.NamespacedName {
	return slices.Collect(maps.Keys(w.missing[rule]))
}

// copied returns our copy as the API server has it in that version, after the changes.
func copied(version string, changes ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: at.Namespace, Name: at.Name, UID: "uid-of-copy", ResourceVersion: version,
		Labels:      map[string]string{owner.Projection.Label: string(ourUID)},
		Annotations: map[string]string{"projection.sh/content-hash": wanted},
	}}
	ownedBy(mine)(object)
	for _, change := range changes {
		change(object)
	}
	return object
}

func ownedBy(rule types.NamespacedName) func(*metav1.PartialObjectMetadata) {
	return func(o *metav1.PartialObjectMetadata) {
		o.Annotations[owner.Projection.Annotation] = rule.String()
		o.ManagedFields = []metav1.ManagedFieldsEntry{applied("Projection/"+rule.String(), ourSet)}
	}
}

// drifted takes a field of ours away.
func drifted(o *metav1.PartialObjectMetadata) {
	o.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(otherSet)
}

func handedOver(o *metav1.PartialObjectMetadata) {
	delete(o.Annotations, owner.Projection.Annotation)
	drifted(o)
}

func terminating(o *metav1.PartialObjectMetadata) {
	o.DeletionTimestamp = &metav1.Time{Time: time.Now()}
}

func applied(manager, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1",
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	}
}

// ours is what our field manager owns of an untouched copy.
var ours = stateOf(owner.Projection, copied("1")).Fields
