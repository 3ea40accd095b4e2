package publication_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

var (
	budgets = schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}
	leases  = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
)

// put creates an object from YAML in the namespace.
func (p *publishing) put(in dynamic.Interface, kind schema.GroupVersionResource, namespace, text string) dynamic.ResourceInterface {
	p.T.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(p.T, yaml.Unmarshal([]byte(text), &object.Object))
	objects := in.Resource(kind).Namespace(namespace)
	_, err := objects.Create(p.T.Context(), object, metav1.CreateOptions{})
	require.NoError(p.T, err)
	return objects
}

// holds waits until the function holds of the named object.
func (p *publishing) holds(objects dynamic.ResourceInterface, name string, holds func(*unstructured.Unstructured) bool) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		found, err := objects.Get(p.T.Context(), name, metav1.GetOptions{})
		require.NoError(c, err)
		assert.True(c, holds(found), "%v", found.Object)
	}, env.Timeout, env.Interval)
}

// TestRelatedObjectsOfAnyKind has a PodDisruptionBudget of the consumer be copied, and a Lease of the service come back and stay.
func TestRelatedObjectsOfAnyKind(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Related = []v1alpha1.RelatedResource{
			{
				Name: "budget", Origin: v1alpha1.OriginConsumer, Path: "spec.passwordName",
				Resource: v1alpha1.RelatedKind{Group: budgets.Group, Kind: "PodDisruptionBudget"},
			},
			{
				Name: "lease", Origin: v1alpha1.OriginService, Path: "spec.secretName", WhenOriginGone: v1alpha1.OriginGoneKeep,
				Resource: v1alpha1.RelatedKind{Group: leases.Group, Kind: "Lease"},
			},
		}
		spec.Mutation.ToService.Exclude = []string{"spec.secretName"}
		spec.Mutation.ToService.Fields = []v1alpha1.ServiceField{{Path: "spec.secretName", Expression: "object.metadata.name + '-lease'"}}
	})
	budget := p.put(p.consumer, budgets, p.there.Home, `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget}, spec: {minAvailable: 2}}`)
	object := p.create("www", `{secretName: lease, passwordName: budget}`)
	there := p.copyOf(object, anything).GetNamespace()
	p.holds(p.service.Resource(budgets).Namespace(there), "budget", has(int64(2), "spec", "minAvailable"))
	require.NoError(t, budget.Delete(t.Context(), "budget", metav1.DeleteOptions{}))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := p.service.Resource(budgets).Namespace(there).Get(t.Context(), "budget", metav1.GetOptions{})
		assert.Error(c, err)
	}, env.Timeout, env.Interval)

	lease := p.put(p.service, leases, there, `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: www-lease}, spec: {holderIdentity: service}}`)
	kept := p.consumer.Resource(leases).Namespace(p.there.Home)
	p.holds(kept, "lease", has("service", "spec", "holderIdentity"))
	seen, err := kept.Get(t.Context(), "lease", metav1.GetOptions{})
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprint(seen.GetAnnotations(), seen.GetLabels()), remoteName, "names of clusters stay in the hub")
	require.NoError(t, lease.Delete(t.Context(), "www-lease", metav1.DeleteOptions{}))
	p.holds(kept, "lease", func(kept *unstructured.Unstructured) bool {
		return len(kept.GetAnnotations()) == 0 && len(kept.GetLabels()) == 0
	})
}

// TestKindOutsideOfNamespaces offers a cluster-scoped kind, whose objects have copies without a namespace.
func TestKindOutsideOfNamespaces(t *testing.T) {
	p := newPublishing(t)
	p.defineService(strings.NewReplacer("Namespaced", "Cluster", "Certificate", "Issuer", "certificate", "issuer").Replace(definition))
	p.offer(func(spec *v1alpha1.PublishedResourceSpec) { spec.Service.Resource.Kind = "Issuer" })
	name := "issuers." + p.offered
	t.Cleanup(func() {
		_ = p.consumer.Resource(definitionKind).Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	p.established(p.consumer, name)
	at, kind := p.serviceKind(), p.consumerKind()
	at.Resource, kind.Resource = "issuers", "issuers"
	objects, copies := p.consumer.Resource(kind), p.service.Resource(at)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": p.offered + "/v1", "kind": "Issuer", "metadata": map[string]any{"name": "corp"}, "spec": map[string]any{"days": int64(90)},
	}}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := objects.Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(c, err)
	}, env.Timeout, env.Interval)
	var copied string
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		list, err := copies.List(t.Context(), metav1.ListOptions{})
		require.NoError(c, err)
		require.Len(c, list.Items, 1)
		assert.True(c, has(int64(90), "spec", "days")(&list.Items[0]))
		copied = list.Items[0].GetName()
	}, env.Timeout, env.Interval)
	_, err := copies.Patch(t.Context(), copied, types.MergePatchType, []byte(`{"status": {"phase": "Issued"}}`), metav1.PatchOptions{}, "status")
	require.NoError(t, err)
	p.holds(objects, "corp", has("Issued", "status", "phase"))
	require.NoError(t, objects.Delete(t.Context(), "corp", metav1.DeleteOptions{}))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		list, err := copies.List(t.Context(), metav1.ListOptions{})
		require.NoError(c, err)
		assert.Empty(c, list.Items)
	}, env.Timeout, env.Interval)
}

// TestKindWithoutStatus offers a kind without the subresource: objects travel, and the PublishedResource says that no status comes back.
func TestKindWithoutStatus(t *testing.T) {
	p := newPublishing(t)
	p.defineService(strings.ReplaceAll(definition, "subresources: {status: {}}", "subresources: {}"))
	p.publish()
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, has(int64(90), "spec", "days"))
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonStatusNotServed)
}

// TestKindInAnotherVersionThanThePreferredOne has another kind of the group be served in a later version.
func TestKindInAnotherVersionThanThePreferredOne(t *testing.T) {
	p := newPublishing(t)
	p.defineService(strings.NewReplacer("Certificate", "Issuer", "certificate", "issuer", "name: v1", "name: v2").Replace(definition))
	p.publish()
	p.copyOf(p.create("www", `{days: 90}`), has(int64(90), "spec", "days"))
}
