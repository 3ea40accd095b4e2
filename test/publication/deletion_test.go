package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// hold puts a finalizer of the service on a copy.
const hold = `{"metadata": {"finalizers": ["example.org/hold"]}}`

// release takes it off.
const release = `{"metadata": {"finalizers": null}}`

// TestObjectWaitsForItsCopy has the service take its time to clean up.
func TestObjectWaitsForItsCopy(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) { spec.Deletion.Wait = true })
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	seen := p.eventually(object, anything)
	assert.Equal(t, []string{v1.FinalizerPublished}, seen.GetFinalizers())
	p.patch(copied, hold)
	p.delete(object)
	p.eventually(copied, func(copied *unstructured.Unstructured) bool { return copied.GetDeletionTimestamp() != nil })
	p.settle()
	seen = p.eventually(object, anything)
	assert.Equal(t, []string{v1.FinalizerPublished}, seen.GetFinalizers(), "the copy is there")
	p.patch(copied, release)
	p.gone(object)
	assert.Empty(t, p.copies(object))
}

// TestObjectIsAnotherOneWhenItIsCreatedAgain has the copy of the former object take its time.
func TestObjectIsAnotherOneWhenItIsCreatedAgain(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	p.patch(copied, hold)
	p.delete(object)
	p.eventually(copied, func(copied *unstructured.Unstructured) bool { return copied.GetDeletionTimestamp() != nil })
	again := p.create("www", `{days: 30}`)
	p.settle()
	seen := p.eventually(copied, anything)
	assert.Equal(t, string(object.GetUID()), seen.GetAnnotations()[v1.AnnotationOriginUID], "what is of the former one is not handed on")
	p.patch(copied, release)
	p.copyOf(again, func(copied *unstructured.Unstructured) bool {
		return copied.GetAnnotations()[v1.AnnotationOriginUID] == string(again.GetUID())
	})
}

// TestCopyIsLeft has the copy become an ordinary object.
func TestCopyIsLeft(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Deletion.Policy, spec.Deletion.Wait = v1alpha1.DeletionOrphan, true
	})
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	p.delete(object)
	p.gone(object)
	left := p.eventually(copied, func(copied *unstructured.Unstructured) bool {
		return copied.GetAnnotations()[v1.AnnotationOwnedByRemote] == ""
	})
	assert.Empty(t, left.GetAnnotations())
	assert.Empty(t, left.GetLabels())
}

// TestNothingIsDeletedThatCannotBeSeen cuts the consumer off, and deletes its object meanwhile.
func TestNothingIsDeletedThatCannotBeSeen(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	kept := p.create("kept", `{days: 90}`)
	copied, keptCopy := p.copyOf(object, anything), p.copyOf(kept, anything)
	p.relay.Switch("127.0.0.1:1")
	p.delete(object)
	p.patch(copied, `{"spec": {"days": 1}}`) // a pass begins, and learns nothing
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonUnreachable)
	assert.Len(t, p.copies(object), 1)
	p.relay.Switch(p.target.Host)
	p.noCopy(object)
	p.eventually(keptCopy, anything)
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}

// TestClusterIsNoConsumerAnyMore takes a cluster out, and offers the kind to it again.
func TestClusterIsNoConsumerAnyMore(t *testing.T) {
	p := newPublishing(t)
	none := func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Consumers.Clusters.Names = []string{"nobody"}
		spec.Deletion.Wait = true
	}
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) { spec.Deletion.Wait = true })
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, anything)
	p.edit(none)
	p.noCopy(object)
	seen := p.eventually(object, func(object *unstructured.Unstructured) bool { return len(object.GetFinalizers()) == 0 })
	assert.Nil(t, seen.GetDeletionTimestamp(), "objects of consumers are theirs")
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Consumers.Clusters.Names = []string{remoteName} })
	p.copyOf(object, anything)
}

// TestPublicationIsDeleted deletes the PublishedResource: the copies go, what is of the consumer stays.
func TestPublicationIsDeleted(t *testing.T) {
	p := newPublishing(t)
	resource := p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Deletion.Wait = true
		spec.Definition.Removal = v1alpha1.RemovalDeleteWhenEmpty
	})
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, anything)
	p.unpublish(resource)
	assert.Empty(t, p.copies(object))
	seen := p.eventually(object, anything)
	assert.Empty(t, seen.GetFinalizers())
	p.established(p.consumer, "certificates."+p.offered) // it is not empty
}

// TestDefinitionGoesWithoutObjects deletes a PublishedResource of which no consumer has an object.
func TestDefinitionGoesWithoutObjects(t *testing.T) {
	p := newPublishing(t)
	resource := p.publish(func(spec *v1alpha1.PublishedResourceSpec) { spec.Definition.Removal = v1alpha1.RemovalDeleteWhenEmpty })
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.unpublish(resource)
	found, err := p.consumer.Resource(definitionKind).Get(t.Context(), "certificates."+p.offered, metav1.GetOptions{})
	if err == nil {
		require.NotNil(t, found.GetDeletionTimestamp())
	}
}
