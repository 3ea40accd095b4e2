package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/api/v1alpha1"
)

// TestTwoObjectsNameOneSecret has the consumer use one Secret for two objects, one after the other end.
func TestTwoObjectsNameOneSecret(t *testing.T) {
	p := newPublishing(t)
	p.publish(withRelated)
	p.secret(member, p.there.Home, "password", "first")
	first := p.create("first", `{passwordName: password}`)
	copied := p.copyOf(first, anything)
	there := copied.GetNamespace()
	name := copied.Object["spec"].(map[string]any)["passwordName"].(string) //nolint:forcetypeassert // it is one
	p.holdsSecret(hub, there, name, "first")
	second := p.create("second", `{passwordName: password}`)
	p.copyOf(second, has(name, "spec", "passwordName"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.secret(member, p.there.Home, "password", "second")
	p.holdsSecret(hub, there, name, "second")
	p.settle()

	uid := p.uidOfSecret(there, name)
	p.delete(first)
	p.gone(first)
	p.secret(member, p.there.Home, "password", "third")
	p.holdsSecret(hub, there, name, "third")
	p.settle()
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	assert.Equal(t, uid, p.uidOfSecret(there, name), "the service uses it all the time")
	p.delete(second)
	p.gone(second)
	p.holdsSecret(hub, there, name, "")
}

// TestTwoSecretsWantOnePlace has two namespaces have a Secret of one name, and their copies share a namespace.
func TestTwoSecretsWantOnePlace(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Naming.Namespace = "'" + p.Home + "'"
		spec.Related = []v1alpha1.RelatedResource{{
			Name: "password", Origin: v1alpha1.OriginConsumer, Resource: v1alpha1.RelatedKind{Kind: "Secret"}, Path: "spec.passwordName",
		}}
	})
	other := p.there.Namespace("other", nil)
	p.secret(member, p.there.Home, "password", "first")
	p.secret(member, other, "password", "second")
	first := p.create("first", `{passwordName: password}`)
	p.holdsSecret(hub, p.Home, "password", "first")
	second := p.createIn(other, "second", `{passwordName: password}`)
	assert.Contains(t, p.tells(second, v1alpha1.ReasonNameConflict), "which exists: it is the copy of "+p.there.Home+"/first, with another related object")
	p.secret(member, other, "password", "third")
	p.settle()
	p.holdsSecret(hub, p.Home, "password", "first")
	p.delete(first)
	p.holdsSecret(hub, p.Home, "password", "third")
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}

// TestRelatedEntryIsRemoved takes the entry out of the PublishedResource: its copies go, what has them stays.
func TestRelatedEntryIsRemoved(t *testing.T) {
	p := newPublishing(t)
	p.publish(withRelated)
	p.secret(member, p.there.Home, "password", "first")
	copied := p.copyOf(p.create("www", `{passwordName: password}`), anything)
	name := copied.Object["spec"].(map[string]any)["passwordName"].(string) //nolint:forcetypeassert // it is one
	p.holdsSecret(hub, copied.GetNamespace(), name, "first")
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Related, spec.Mutation.ToService.References = nil, nil
	})
	p.holdsSecret(hub, copied.GetNamespace(), name, "")
	p.holdsSecret(member, p.there.Home, "password", "first")
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}
