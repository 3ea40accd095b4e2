package destination

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
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

// book is a cache without a watch; the test says what the API server tells.
type book struct {
	*CopyCache
	woken []types.NamespacedName
}

func newBook() *book {
	b := &book{}
	b.CopyCache = newCopyCache(owner.Projection, func(rule watch.RuleKey, cause watch.Trigger, _ time.Time) {
		if rule.Kind == owner.Projection.Name && cause == watch.CopyChanged {
			b.woken = append(b.woken, rule.NamespacedName)
		}
	})
	return b
}

// wakes returns who was woken since it was asked last.
func (b *book) wakes() []types.NamespacedName {
	woken := b.woken
	b.woken = nil
	return woken
}

// write lets the rule write what the API server then has.
func (b *book) write(rule types.NamespacedName, object *metav1.PartialObjectMetadata) {
	b.BeginWrite(at, rule, wanted)
	b.EndWrite(at, rule, wanted, stateOf(owner.Projection, object))
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
