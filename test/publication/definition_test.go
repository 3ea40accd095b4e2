package publication_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// TestConsumersSeeWhatTheProjectionSays renames all there is, and hides a field that mutation sets.
func TestConsumersSeeWhatTheProjectionSays(t *testing.T) {
	p := newPublishing(t)
	p.offer(func(spec *v1alpha1.PublishedResourceSpec) {
		short := []string{"zert"}
		spec.Projection.Kind, spec.Projection.Plural, spec.Projection.ShortNames = "Zertifikat", "zertifikate", &short
		spec.Projection.Versions = map[string]v1alpha1.VersionName{"v1": "v1beta1"}
		spec.Projection.Schema.Hide = []string{"spec.issuer", "status.internal"}
		spec.Mutation.ToService.Fields = []v1alpha1.ServiceField{{Path: "spec.issuer", Expression: "'corp-' + cluster.labels['region']"}}
		spec.Mutation.ToService.Exclude = []string{"spec.days"}
		spec.Mutation.ToConsumer.Exclude = []string{"status.internal"}
		spec.Mutation.ToConsumer.Fields = []v1alpha1.StatusField{{Path: "status.phase", Expression: "object.status.phase + ' by ' + object.spec.issuer"}}
	})
	name := "zertifikate." + p.offered
	t.Cleanup(func() { _ = p.consumer.Resource(definitionKind).Delete(t.Context(), name, metav1.DeleteOptions{}) })
	installed := p.established(p.consumer, name)
	names, _, _ := unstructured.NestedStringSlice(installed.Object, "spec", "names", "shortNames")
	assert.Equal(t, []string{"zert"}, names)
	kind := p.consumerKind()
	kind.Resource, kind.Version = "zertifikate", "v1beta1"
	objects := p.consumer.Resource(kind).Namespace(p.there.Home)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": p.offered + "/v1beta1", "kind": "Zertifikat", "metadata": map[string]any{"name": "www", "namespace": p.there.Home},
		"spec": map[string]any{"secretName": "tls", "days": int64(3)},
	}}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := objects.Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(c, err)
	}, env.Timeout, env.Interval)
	copied := p.copyOf(object, has("corp-eu", "spec", "issuer"))
	assert.True(t, has("tls", "spec", "secretName")(copied))
	assert.True(t, has(nil, "spec", "days")(copied))
	p.patch(copied, `{"status": {"phase": "Issued", "internal": "secret", "serial": 1}}`, "status")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		seen, err := objects.Get(t.Context(), "www", metav1.GetOptions{})
		require.NoError(c, err)
		assert.Equal(c, map[string]any{"phase": "Issued by corp-eu", "serial": int64(1)}, seen.Object["status"])
	}, env.Timeout, env.Interval)
}

// TestDefinitionsAreUpgradedSafely has the service change its definition, and somebody delete that of the consumer.
func TestDefinitionsAreUpgradedSafely(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.defineService(strings.ReplaceAll(definition, "issuer: {type: string}", "issuer: {type: string}\n                owner: {type: string}"))
	days := []string{"spec", "versions"}
	schemaOf := func() string {
		found, err := p.consumer.Resource(definitionKind).Get(t.Context(), "certificates."+p.offered, metav1.GetOptions{})
		require.NoError(t, err)
		versions, _, _ := unstructured.NestedSlice(found.Object, days...)
		text, err := yaml.Marshal(versions)
		require.NoError(t, err)
		return string(text)
	}
	require.Eventually(t, func() bool { return strings.Contains(schemaOf(), "owner:") }, env.Timeout, env.Interval)

	p.defineService(strings.ReplaceAll(definition, "minimum: 1", "minimum: 30"))
	resource := p.says(v1alpha1.ConditionDefinitionInstalled, v1alpha1.ReasonDefinitionOutdated)
	assert.Contains(t, resource.Status.Failures[0].Message, "spec.days")
	assert.Contains(t, schemaOf(), "minimum: 1\n")
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Definition.Upgrade = v1alpha1.UpgradeAll })
	p.says(v1alpha1.ConditionDefinitionInstalled, v1alpha1.ReasonDefinitionInstalled)
	require.Eventually(t, func() bool { return strings.Contains(schemaOf(), "minimum: 30\n") }, env.Timeout, env.Interval)

	require.NoError(t, p.consumer.Resource(definitionKind).Delete(t.Context(), "certificates."+p.offered, metav1.DeleteOptions{}))
	p.established(p.consumer, "certificates."+p.offered)
}

// TestForeignDefinitionIsAConflict has a definition of somebody else be in the place, which can be used if the owner says so.
func TestForeignDefinitionIsAConflict(t *testing.T) {
	p := newPublishing(t)
	foreign := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(definition, "$GROUP", p.offered)), &foreign.Object))
	_, err := p.consumer.Resource(definitionKind).Create(t.Context(), foreign, metav1.CreateOptions{})
	require.NoError(t, err)
	p.offer()
	p.says(v1alpha1.ConditionStalled, v1alpha1.ReasonDefinitionConflict)
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Definition.Install = v1alpha1.InstallNever })
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.copyOf(p.create("www", `{days: 90}`), anything)
}

// TestNoDefinitionIsInstalledThatIsNotWanted has the kind be missing.
func TestNoDefinitionIsInstalledThatIsNotWanted(t *testing.T) {
	p := newPublishing(t)
	p.offer(func(spec *v1alpha1.PublishedResourceSpec) { spec.Definition.Install = v1alpha1.InstallNever })
	p.says(v1alpha1.ConditionDefinitionInstalled, v1alpha1.ReasonDefinitionMissing)
}

// TestOffersThatCannotBeMade says why.
func TestOffersThatCannotBeMade(t *testing.T) {
	for name, test := range map[string]struct {
		adapt  func(*v1alpha1.PublishedResourceSpec)
		reason string
	}{
		"no such kind":       {func(spec *v1alpha1.PublishedResourceSpec) { spec.Service.Resource.Kind = "Nothing" }, v1alpha1.ReasonServiceNotFound},
		"no such cluster":    {func(spec *v1alpha1.PublishedResourceSpec) { spec.Service.Cluster = "nowhere" }, v1alpha1.ReasonServiceNotFound},
		"no such field":      {func(spec *v1alpha1.PublishedResourceSpec) { spec.Projection.Schema.Hide = []string{"spec.nothing"} }, v1alpha1.ReasonNotProjectable},
		"no such expression": {func(spec *v1alpha1.PublishedResourceSpec) { spec.Naming.Name = "source.metadata.name" }, v1alpha1.ReasonPublicationInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPublishing(t)
			p.offer(test.adapt)
			p.says(v1alpha1.ConditionAccepted, test.reason)
			p.says(v1alpha1.ConditionStalled, test.reason)
			p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Suspend = true }) // and deleted it can be
		})
	}
}

// TestFilter takes objects by their labels and their content, and lets go of those that match no more.
func TestFilter(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Filter.NamespaceSelector = selecting("certs")
		spec.Filter.ObjectSelector = selecting("shared")
		spec.Filter.Expression = "object.spec.days < 100"
	})
	object := p.create("www", `{days: 900}`)
	label := func(value string) {
		_, err := clientset(member).CoreV1().Namespaces().Patch(t.Context(), p.there.Home, types.MergePatchType,
			[]byte(`{"metadata": {"labels": {"certs": `+value+`}}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	label(`"on"`)
	p.patch(object, `{"metadata": {"labels": {"shared": "on"}}}`)
	p.settle()
	assert.Empty(t, p.copies(object))
	p.patch(object, `{"spec": {"days": 90}}`)
	p.copyOf(object, anything)
	label("null")
	p.noCopy(object)
	label(`"on"`)
	p.copyOf(object, anything)
	p.patch(object, `{"metadata": {"labels": {"shared": null}}}`)
	p.noCopy(object)
	resource := p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	assert.Zero(t, resource.Status.Objects.Accepted)
}
