package publication_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// inOwn has copies be in a namespace that no other test uses.
func (p *publishing) inOwn(spec *v1alpha1.PublishedResourceSpec) {
	spec.Naming.Namespace = "'created-for-" + p.name + "'"
}

func removingNamespaces(spec *v1alpha1.PublishedResourceSpec) {
	spec.Naming.RemoveNamespaces = v1alpha1.RemoveWhenEmpty
}

// isDeleted reports whether the namespace was deleted. Nothing ends it here.
func (p *publishing) isDeleted(namespace string) bool {
	p.T.Helper()
	found, err := clientset(hub).CoreV1().Namespaces().Get(p.T.Context(), namespace, metav1.GetOptions{})
	require.NoError(p.T, err)
	return found.DeletionTimestamp != nil
}

func (p *publishing) isDeletedAtLast(namespace string) {
	p.T.Helper()
	require.Eventually(p.T, func() bool { return p.isDeleted(namespace) }, env.Timeout, env.Interval)
}

// looksIntoAgain waits until the operator has looked for objects in the namespace twice since the mark: after the first time, it has left it alone.
func (p *publishing) looksIntoAgain(namespace string, since env.AuditMark) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		requests, err := hub.RequestsSince(since, operatorUser)
		require.NoError(c, err)
		looks := 0
		for _, request := range requests {
			if request.Verb == "list" && strings.Contains(request.URI, "/namespaces/"+namespace+"/secrets") {
				looks++
			}
		}
		assert.Greater(c, looks, 1)
	}, env.Timeout, env.Interval)
}

// TestEmptyNamespaceIsRemoved has the service have a Secret in the namespace of the copies for longer than the consumer has objects.
func TestEmptyNamespaceIsRemoved(t *testing.T) {
	p := newPublishing(t)
	p.publish(p.inOwn, removingNamespaces)
	first, second := p.create("first", `{days: 90}`), p.create("second", `{days: 90}`)
	namespace := p.copyOf(first, anything).GetNamespace()
	assert.Equal(t, namespace, p.copyOf(second, anything).GetNamespace())
	p.secret(hub, namespace, "of-the-service", "valuable")
	p.delete(first)
	p.noCopy(first)
	mark, err := hub.AuditMark()
	require.NoError(t, err)
	p.delete(second)
	p.noCopy(second)
	p.looksIntoAgain(namespace, mark)
	assert.False(t, p.isDeleted(namespace))
	require.NoError(t, clientset(hub).CoreV1().Secrets(namespace).Delete(t.Context(), "of-the-service", metav1.DeleteOptions{}))
	p.isDeletedAtLast(namespace)
}

// TestNamespaceIsRemovedLater says that namespaces are to be removed when one is empty already.
func TestNamespaceIsRemovedLater(t *testing.T) {
	p := newPublishing(t)
	p.publish(p.inOwn)
	object := p.create("www", `{days: 90}`)
	namespace := p.copyOf(object, anything).GetNamespace()
	p.delete(object)
	p.noCopy(object)
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.settle()
	assert.False(t, p.isDeleted(namespace), "unless somebody asks for it, nothing is deleted")
	p.edit(removingNamespaces)
	p.isDeletedAtLast(namespace)
}

// TestNamespacesOfAPublicationThatEnds deletes PublishedResources: only an empty namespace that was created for copies is deleted, if that is asked for.
func TestNamespacesOfAPublicationThatEnds(t *testing.T) {
	for name, test := range map[string]struct {
		adapt   func(*publishing, *v1alpha1.PublishedResourceSpec)
		deleted bool
	}{
		"created":  {func(p *publishing, spec *v1alpha1.PublishedResourceSpec) { removingNamespaces(spec); p.inOwn(spec) }, true},
		"kept":     {(*publishing).inOwn, false},
		"existing": {func(p *publishing, spec *v1alpha1.PublishedResourceSpec) { removingNamespaces(spec); p.inHome(spec) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPublishing(t)
			resource := p.publish(func(spec *v1alpha1.PublishedResourceSpec) { test.adapt(p, spec) })
			namespace := p.copyOf(p.create("www", `{issuer: www}`), anything).GetNamespace()
			p.unpublish(resource)
			assert.Equal(t, test.deleted, p.isDeleted(namespace))
		})
	}
}

// TestNamespaceOfAFormerPublicationIsRemoved has another PublishedResource use the namespace that one has created which does not exist any more.
func TestNamespaceOfAFormerPublicationIsRemoved(t *testing.T) {
	p := newPublishing(t)
	resource := p.publish(p.inOwn)
	object := p.create("www", `{issuer: www}`)
	namespace := p.copyOf(object, anything).GetNamespace()
	p.unpublish(resource)
	p.name += "-2"
	p.publish(removingNamespaces, func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Naming.Namespace, spec.Definition.Install = "'"+namespace+"'", v1alpha1.InstallNever
	})
	assert.Equal(t, namespace, p.copyOf(object, anything).GetNamespace())
	assert.False(t, p.isDeleted(namespace))
	p.delete(object)
	p.isDeletedAtLast(namespace)
}
