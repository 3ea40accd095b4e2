package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// unchangeable is a source whose copies cannot be changed in place.
const unchangeable = configMap + "immutable: true\n"

// edited is an edit of a rule that changes its copies.
const edited = `{"spec":{"content":{"data":{"exclude":["size"]}}}}`

// TestCopiesAreRecreatedOneAfterTheOther reads the audit log: no copy is deleted before the one before is created.
func TestCopiesAreRecreatedOneAfterTheOther(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(unchangeable)
	members := []string{w.member(w.selected()), w.member(w.selected()), w.member(w.selected())}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {onImmutable: Recreate}`)
	w.counts(rule, 3, 0)
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(rule, edited)
		for _, namespace := range members {
			w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
		}
		w.counts(rule, 3, 0)
		w.settles()
	})
	assert.Equal(t, 3, count(requests, "delete", "configmaps"), "%v", requests)
	missing := ""
	for _, request := range requests {
		switch {
		case request.Resource != "configmaps":
		case request.Verb == "delete":
			assert.Empty(t, missing, "%v", requests)
			missing = request.Namespace
		case request.Verb == "patch" && request.Code == 201 && request.Namespace == missing && request.Name == "settings":
			missing = ""
		}
	}
	assert.Empty(t, missing)
}

func TestCopyThatIsRecreatedIsReported(t *testing.T) {
	w := newWorld(t)
	w.Apply(unchangeable)
	source := w.Object(unchangeable)
	rule := w.Project("settings", source, asAccount("writer"), func(rule *v1.Projection) { rule.Spec.Policy.OnImmutable = v1.ImmutableRecreate })
	w.grant("writer", w.Home, "get")
	w.grant("writer", w.Away, "create patch")
	w.Ready(rule)
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(rule, edited)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "" })
		w.settles()
	})
	assert.Equal(t, []string{
		"+ get configmaps 200", "+ patch configmaps 422", "+ patch configmaps 201", "- delete configmaps 200", "+ patch configmaps 201", "- update projections/status 200",
	}, w.senders(requests, "writer"))
	event := w.reported(rule, v1.ReasonDestinationRecreated)
	assert.Equal(t, "recreated the copy "+w.Away+"/settings, which could not be changed in place", event.Note)
}

func TestTenantRecreatesByAServiceAccountOnly(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(unchangeable)
	rule := w.Project("settings", source)
	w.Ready(rule)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Merge(rule, strings.Replace(edited, `"spec":{`, `"spec":{"policy":{"onImmutable":"Recreate"},`, 1))
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid).Message
	assert.Equal(t, "to recreate its copy, a Projection needs a service account whose permissions it uses; copies are kept; "+
		"set spec.serviceAccountName, or remove spec.policy.onImmutable", said)
	w.Merge(rule, `{"spec":{"policy":{"onImmutable":"Keep"}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationUpdateFailed)
	assert.Equal(t, before.GetUID(), w.Exists(source, w.Away, "settings", fixture.Anything).GetUID())
}
