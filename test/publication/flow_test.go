package publication_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

func selecting(key string) *v1.SourceSelector {
	return &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{key: "on"}}
}

// TestNamingIsAskedOnce edits naming, and lets objects change and be created.
func TestNamingIsAskedOnce(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Naming.Namespace, spec.Naming.Name = "'for-' + cluster.name", "object.metadata.name + '-' + hash(object.metadata.namespace)"
	})
	p.patch(object, `{"spec": {"days": 30}}`)
	assert.Equal(t, copied.GetUID(), p.copyOf(object, has(int64(30), "spec", "days")).GetUID(), "it stays where it is")
	next := p.copyOf(p.create("next", `{days: 90}`), anything)
	assert.Equal(t, "for-eu-1", next.GetNamespace())
	assert.Regexp(t, "^next-[0-9a-f]{12}$", next.GetName())
}

// TestStatusIsCoalescedAndTheLastArrives has the service write its status again and again.
func TestStatusIsCoalescedAndTheLastArrives(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.settle()
	_, there := p.requests(func() {
		for serial := range 50 {
			p.patch(copied, fmt.Sprintf(`{"status": {"serial": %d}}`, serial+1), "status")
		}
		p.eventually(object, has(int64(50), "status", "serial"))
	})
	assert.Less(t, len(there), 10, "%v", there)
}

// TestEditOfAPublicationRestartsNothing edits the spec while objects change: one writer, and what the last spec says holds.
func TestEditOfAPublicationRestartsNothing(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	for edit := range 30 {
		p.edit(func(spec *v1alpha1.PublishedResourceSpec) {
			spec.Mutation.ToService.Fields = []v1alpha1.ServiceField{{Path: "spec.issuer", Expression: fmt.Sprintf("'issuer-%d'", edit)}}
		})
		p.patch(object, fmt.Sprintf(`{"spec": {"days": %d}}`, edit+1))
	}
	seen := p.copyOf(object, has("issuer-29", "spec", "issuer"))
	assert.Equal(t, copied.GetUID(), seen.GetUID())
	p.copyOf(object, has(int64(30), "spec", "days"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.settle()
	here, there := p.requests(func() {
		p.patch(object, `{"spec": {"days": 77}}`)
		p.copyOf(object, has(int64(77), "spec", "days"))
	})
	assert.Equal(t, []string{"get certificates"}, there)
	assert.Equal(t, []string{"patch certificates"}, here)
}

// TestSuspended has nothing be written until the owner of the service goes on.
func TestSuspended(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) { spec.Suspend = true })
	object := p.create("www", `{days: 90}`)
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonSuspended)
	p.settle()
	assert.Empty(t, p.copies(object))
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Suspend = false })
	p.copyOf(object, anything)
}
