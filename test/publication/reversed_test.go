package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/api/v1alpha1"
)

// TestServiceIsInAnotherCluster has the hub be a consumer of a service in the member.
func TestServiceIsInAnotherCluster(t *testing.T) {
	p := newReversed(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	p.patch(copied, `{"status": {"phase": "Issued"}}`, "status")
	p.eventually(object, has("Issued", "status", "phase"))
	p.delete(object)
	p.noCopy(object)
}

// TestNamespaceOfAConsumerIsReleased has an object that waits for its copy be deleted while the service is away.
func TestNamespaceOfAConsumerIsReleased(t *testing.T) {
	p := newReversed(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		spec.Deletion.Wait, spec.Deletion.ReleaseAfterSeconds = true, 3
	})
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, anything)
	p.relay.Switch("127.0.0.1:1")
	p.delete(object)
	p.eventually(object, func(object *unstructured.Unstructured) bool { return object.GetDeletionTimestamp() != nil })
	p.gone(object)
	assert.Len(t, p.copies(object), 1, "it is not reached")
	p.relay.Switch(p.target.Host)
	p.noCopy(object)
}

// TestServiceThatIsAwayDelaysNothing edits an object while the service is away, which gets the edit when it is back.
func TestServiceThatIsAwayDelaysNothing(t *testing.T) {
	p := newReversed(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, anything)
	p.relay.Switch("127.0.0.1:1")
	p.patch(object, `{"spec": {"days": 30}}`)
	resource := p.says(v1alpha1.ConditionReady, v1alpha1.ReasonUnreachable)
	assert.Equal(t, metav1.ConditionFalse, condition(resource, v1alpha1.ConditionReady).Status)
	p.relay.Switch(p.target.Host)
	p.copyOf(object, has(int64(30), "spec", "days"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}

func condition(of *v1alpha1.PublishedResource, kind string) metav1.Condition {
	for _, condition := range of.Status.Conditions {
		if condition.Type == kind {
			return condition
		}
	}
	return metav1.Condition{}
}
