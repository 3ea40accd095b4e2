package publication_test

import (
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// create creates an object of the consumer.
func (p *publishing) create(name, spec string) *unstructured.Unstructured {
	p.T.Helper()
	return p.createIn(p.there.Home, name, spec)
}

func (p *publishing) createIn(namespace, name, spec string) *unstructured.Unstructured {
	p.T.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": p.offered + "/v1", "kind": "Certificate"}}
	require.NoError(p.T, yaml.Unmarshal([]byte("spec: "+spec), &object.Object))
	object.SetNamespace(namespace)
	object.SetName(name)
	var created *unstructured.Unstructured
	require.EventuallyWithT(p.T, func(c *assert.CollectT) { // the API server may not serve the kind everywhere yet
		var err error
		created, err = p.consumer.Resource(p.consumerKind()).Namespace(namespace).Create(p.T.Context(), object, metav1.CreateOptions{})
		require.NoError(c, err)
	}, env.Timeout, env.Interval)
	return created
}

// patch changes an object by a merge patch.
func (p *publishing) patch(object *unstructured.Unstructured, patch string, subresources ...string) {
	p.T.Helper()
	_, err := p.at(object).Patch(p.T.Context(), object.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "tester"}, subresources...)
	require.NoError(p.T, err)
}

func (p *publishing) delete(object *unstructured.Unstructured) {
	p.T.Helper()
	require.NoError(p.T, p.at(object).Delete(p.T.Context(), object.GetName(), metav1.DeleteOptions{}))
}

// at is where the object is, which is that of a consumer or a copy.
func (p *publishing) at(object *unstructured.Unstructured) dynamic.ResourceInterface {
	if object.GroupVersionKind().Group == p.offered {
		return p.consumer.Resource(p.consumerKind()).Namespace(object.GetNamespace())
	}
	return p.service.Resource(p.serviceKind()).Namespace(object.GetNamespace())
}

// copyOf waits until the object of the consumer has one copy of which the function holds.
func (p *publishing) copyOf(object *unstructured.Unstructured, holds func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	p.T.Helper()
	var found *unstructured.Unstructured
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		copies := p.copies(object)
		require.Len(c, copies, 1)
		found = copies[0]
		assert.True(c, holds(found), "%v", found.Object)
	}, env.Timeout, env.Interval)
	return found
}

// copies returns the copies of an object.
func (p *publishing) copies(object *unstructured.Unstructured) (copies []*unstructured.Unstructured) {
	p.T.Helper()
	list, err := p.service.Resource(p.serviceKind()).List(p.T.Context(), metav1.ListOptions{})
	require.NoError(p.T, err)
	for i := range list.Items {
		if strings.HasSuffix(list.Items[i].GetAnnotations()["projection.sh/origin"], "/"+object.GetNamespace()+"/"+object.GetName()) {
			copies = append(copies, &list.Items[i])
		}
	}
	return copies
}

func (p *publishing) noCopy(object *unstructured.Unstructured) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) { assert.Empty(c, p.copies(object)) }, env.Timeout, env.Interval)
}

// eventually waits until the function holds of an object.
func (p *publishing) eventually(object *unstructured.Unstructured, holds func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	p.T.Helper()
	var found *unstructured.Unstructured
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		var err error
		found, err = p.at(object).Get(p.T.Context(), object.GetName(), metav1.GetOptions{})
		require.NoError(c, err)
		assert.True(c, holds(found), "%v", found.Object)
	}, env.Timeout, env.Interval)
	return found
}

func (p *publishing) gone(object *unstructured.Unstructured) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		found, err := p.at(object).Get(p.T.Context(), object.GetName(), metav1.GetOptions{})
		assert.Error(c, err, "%v", found)
	}, env.Timeout, env.Interval)
}

// tells waits until an event with the reason is about the object of a consumer, and returns its note.
func (p *publishing) tells(object *unstructured.Unstructured, reason string) (note string) {
	p.T.Helper()
	events := p.consumer.Resource(schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}).Namespace(object.GetNamespace())
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		list, err := events.List(p.T.Context(), metav1.ListOptions{})
		require.NoError(c, err)
		for _, event := range list.Items {
			about, _, _ := unstructured.NestedString(event.Object, "regarding", "name")
			if said, _, _ := unstructured.NestedString(event.Object, "reason"); said == reason && about == object.GetName() {
				note, _, _ = unstructured.NestedString(event.Object, "note")
			}
		}
		assert.NotEmpty(c, note)
	}, env.Timeout, env.Interval)
	return note
}

func anything(*unstructured.Unstructured) bool { return true }

// has returns a function that reports whether an object has the value at the path.
func has(value any, path ...string) func(*unstructured.Unstructured) bool {
	return func(object *unstructured.Unstructured) bool {
		found, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
		return found == value
	}
}

func clientset(of *env.Environment) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(of.Config)
}
