package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// withRelated has a Secret of the service come back, and one of the consumer be copied, under names of their own in the cluster of the service.
func withRelated(spec *v1alpha1.PublishedResourceSpec) {
	secret := v1alpha1.RelatedKind{Kind: "Secret"}
	spec.Related = []v1alpha1.RelatedResource{
		{Name: "tls", Origin: v1alpha1.OriginService, Resource: secret, Path: "spec.secretName"},
		{Name: "password", Origin: v1alpha1.OriginConsumer, Resource: secret, Path: "spec.passwordName", Required: true},
	}
	spec.Mutation.ToService.References = []v1alpha1.Reference{{Path: "spec.secretName", Related: "tls"}, {Path: "spec.passwordName", Related: "password"}}
	spec.Deletion.Wait = true
}

func (p *publishing) secret(of *env.Environment, namespace, name, content string) {
	p.T.Helper()
	secrets := clientset(of).CoreV1().Secrets(namespace)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"key": []byte(content)}}
	if _, err := secrets.Create(p.T.Context(), secret, metav1.CreateOptions{}); err != nil {
		_, err = secrets.Update(p.T.Context(), secret, metav1.UpdateOptions{})
		require.NoError(p.T, err)
	}
}

// uidOfSecret returns the uid of a Secret of the service.
func (p *publishing) uidOfSecret(namespace, name string) types.UID {
	p.T.Helper()
	found, err := clientset(hub).CoreV1().Secrets(namespace).Get(p.T.Context(), name, metav1.GetOptions{})
	require.NoError(p.T, err)
	return found.UID
}

// holdsSecret waits until the Secret has the content; empty: until it is gone.
func (p *publishing) holdsSecret(of *env.Environment, namespace, name, content string) {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		found, err := clientset(of).CoreV1().Secrets(namespace).Get(p.T.Context(), name, metav1.GetOptions{})
		if content == "" {
			assert.Error(c, err)
			return
		}
		require.NoError(c, err)
		assert.Equal(c, content, string(found.Data["key"]))
	}, env.Timeout, env.Interval)
}

// TestRelatedObjectsTravelBothWays follows both Secrets from their first appearance to their end.
func TestRelatedObjectsTravelBothWays(t *testing.T) {
	p := newPublishing(t)
	p.publish(withRelated)
	object := p.create("www", `{secretName: tls, passwordName: password, days: 90}`)
	assert.Contains(t, p.tells(object, v1alpha1.ReasonRelatedMissing), "it waits for the Secret "+p.there.Home+"/password")
	assert.Empty(t, p.copies(object), "no copy without what is required")

	p.secret(member, p.there.Home, "password", "first")
	copied := p.copyOf(object, anything)
	spec := copied.Object["spec"].(map[string]any) //nolint:forcetypeassert // it is one
	there, tls := copied.GetNamespace(), spec["secretName"].(string)
	password := spec["passwordName"].(string) //nolint:forcetypeassert // it is one
	assert.NotEqual(t, "tls", tls)
	p.holdsSecret(hub, there, password, "first")
	p.secret(member, p.there.Home, "password", "second")
	p.holdsSecret(hub, there, password, "second")

	p.secret(hub, there, tls, "issued")
	p.holdsSecret(member, p.there.Home, "tls", "issued")
	p.secret(hub, there, tls, "renewed")
	p.holdsSecret(member, p.there.Home, "tls", "renewed")

	require.NoError(t, clientset(member).CoreV1().Secrets(p.there.Home).Delete(t.Context(), "tls", metav1.DeleteOptions{}))
	p.holdsSecret(member, p.there.Home, "tls", "renewed")
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)

	p.patch(object, `{"spec": {"secretName": "other"}}`)
	p.holdsSecret(member, p.there.Home, "tls", "")
	require.NoError(t, clientset(member).CoreV1().Secrets(p.there.Home).Delete(t.Context(), "password", metav1.DeleteOptions{}))
	p.holdsSecret(hub, there, password, "")
	p.secret(member, p.there.Home, "password", "third")
	p.holdsSecret(hub, there, password, "third")

	p.patch(copied, hold)
	p.delete(object)
	p.settle()
	p.holdsSecret(hub, there, password, "third") // the service can still use it
	p.patch(copied, release)
	p.gone(object)
	p.holdsSecret(hub, there, password, "")
}

// TestForeignSecretIsLeftAlone has the consumer have a Secret of his own in the place of that of the service.
func TestForeignSecretIsLeftAlone(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		withRelated(spec)
		spec.Related[1].Required = false
	})
	p.secret(member, p.there.Home, "tls", "mine")
	object := p.create("www", `{secretName: tls, days: 90}`)
	copied := p.copyOf(object, anything)
	spec := copied.Object["spec"].(map[string]any) //nolint:forcetypeassert // it is one
	p.secret(hub, copied.GetNamespace(), spec["secretName"].(string), "theirs")
	assert.NotContains(t, p.tells(object, v1alpha1.ReasonNameConflict), "theirs")
	p.settle()
	p.holdsSecret(member, p.there.Home, "tls", "mine")
}
