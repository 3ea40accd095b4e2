package publication_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// TestObjectTravels has a consumer create, edit, delete and create an object again, and the service report a status.
func TestObjectTravels(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{secretName: tls, days: 90}`)
	copied := p.copyOf(object, has("tls", "spec", "secretName"))
	assert.Equal(t, string(object.GetUID()), copied.GetAnnotations()[v1.AnnotationOriginUID])
	assert.True(t, strings.HasPrefix(copied.GetNamespace(), "consumer-"))
	assert.NotEmpty(t, p.tells(object, v1alpha1.ReasonAccepted))
	assert.Empty(t, object.GetFinalizers(), "without deletion.wait, the object bears nothing")

	p.patch(object, `{"spec": {"days": 30}}`)
	p.copyOf(object, has(int64(30), "spec", "days"))

	p.patch(copied, `{"status": {"phase": "Issued", "serial": 7}}`, "status")
	seen := p.eventually(object, has("Issued", "status", "phase"))
	assert.Empty(t, seen.GetFinalizers())
	assert.Empty(t, seen.GetAnnotations())
	assert.Empty(t, seen.GetLabels())

	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.delete(object)
	p.noCopy(object)
	again := p.create("www", `{secretName: tls2, days: 90}`)
	assert.NotEqual(t, copied.GetUID(), p.copyOf(again, has("tls2", "spec", "secretName")).GetUID())
	var resource *v1alpha1.PublishedResource
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		resource = p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
		assert.Equal(c, v1alpha1.ObjectCounts{Accepted: 1, InSync: 1}, resource.Status.Objects)
	}, env.Timeout, env.Interval)
	assert.Equal(t, v1alpha1.DefinitionCounts{Consumers: 1, Installed: 1}, resource.Status.Definition)
}

// TestRequestsOfAnEditAndOfAStatus counts the requests that both need.
func TestRequestsOfAnEditAndOfAStatus(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{secretName: tls, days: 90}`)
	copied := p.copyOf(object, anything)
	p.patch(copied, `{"status": {"phase": "Pending"}}`, "status")
	p.eventually(object, has("Pending", "status", "phase"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	p.settle()

	here, there := p.requests(func() {
		p.patch(object, `{"spec": {"days": 30}}`)
		p.copyOf(object, has(int64(30), "spec", "days"))
	})
	assert.Equal(t, []string{"get certificates"}, there, "an edit is read once")
	assert.Equal(t, []string{"patch certificates"}, here, "and written once")

	here, there = p.requests(func() {
		p.patch(copied, `{"status": {"phase": "Issued"}}`, "status")
		p.eventually(object, has("Issued", "status", "phase"))
	})
	assert.Equal(t, []string{"patch certificates/status"}, there, "a status is written once")
	assert.Empty(t, here, "and the copy is not read")

	here, there = p.requests(func() {
		p.patch(object, `{"metadata": {"finalizers": []}}`)
		p.patch(copied, `{"status": {"phase": "Issued"}}`, "status")
	})
	assert.Empty(t, slices.Concat(here, there), "what changes nothing needs no request")
}

// TestStatusThatIsClearedIsClearedAtTheConsumer has the service remove its status, and somebody delete a copy that has one.
func TestStatusThatIsClearedIsClearedAtTheConsumer(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{secretName: tls, days: 90}`)
	copied := p.copyOf(object, anything)
	none := func(object *unstructured.Unstructured) bool { return !has(int64(7), "status", "serial")(object) }
	p.patch(copied, `{"status": {"serial": 7}}`, "status")
	p.eventually(object, has(int64(7), "status", "serial"))
	p.patch(copied, `{"status": null}`, "status")
	p.eventually(object, none)
	p.patch(copied, `{"status": {"serial": 7}}`, "status")
	p.eventually(object, has(int64(7), "status", "serial"))
	p.delete(copied)
	p.eventually(object, none)
}

func (p *publishing) settle() {
	p.T.Helper()
	p.Settles(hub, operatorUser)
	p.there.Settles(member, memberUser)
}

// requests returns what the operator asks of objects of both sides while the function runs, and until it has come to rest.
func (p *publishing) requests(do func()) (here, there []string) {
	p.T.Helper()
	atHub, err := hub.AuditMark()
	require.NoError(p.T, err)
	atMember, err := member.AuditMark()
	require.NoError(p.T, err)
	do()
	p.settle()
	ofHub, err := hub.RequestsSince(atHub, operatorUser)
	require.NoError(p.T, err)
	ofMember, err := member.RequestsSince(atMember, memberUser)
	require.NoError(p.T, err)
	return p.ofKind(ofHub), p.ofKind(ofMember)
}

// ofKind returns the requests for the published kind.
func (p *publishing) ofKind(requests []env.Request) (verbs []string) {
	for _, request := range requests {
		if strings.Contains(request.URI, p.name) && request.Verb != "watch" && !strings.Contains(request.URI, "publishedresources") {
			resource := request.Resource
			if strings.Contains(request.URI, "/status") {
				resource += "/status"
			}
			verbs = append(verbs, request.Verb+" "+resource)
		}
	}
	return verbs
}

// TestDriftOfACopyIsRepaired has somebody in the service's cluster change what is the consumer's, and what is not.
func TestDriftOfACopyIsRepaired(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{secretName: tls, days: 90}`)
	copied := p.copyOf(object, anything)
	p.patch(copied, `{"spec": {"days": 1, "issuer": "corp"}}`)
	p.eventually(copied, has(int64(90), "spec", "days"))
	p.eventually(copied, has("corp", "spec", "issuer"))

	p.patch(copied, `{"metadata": {"labels": {"projection.sh/hub-`+hubID(t)+`": null}}}`)
	p.eventually(copied, func(object *unstructured.Unstructured) bool { return len(object.GetLabels()) == 1 })
	p.delete(copied)
	p.copyOf(object, func(again *unstructured.Unstructured) bool { return again.GetUID() != copied.GetUID() })
}

// hubID returns the identity of the hub.
func hubID(t *testing.T) string {
	t.Helper()
	return uidOfSystem(t, hub)
}

func uidOfSystem(t *testing.T, of *env.Environment) string {
	t.Helper()
	found, err := clientset(of).CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	require.NoError(t, err)
	return string(found.UID)
}
