package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// retaining lets a Projection retain its copy.
func retaining(causes ...v1.RetainCause) func(*v1.Projection) {
	return func(rule *v1.Projection) { rule.Spec.Policy.Retain = causes }
}

var everyCause = []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}

// retained creates a source, and a Projection of it that is ready and retains its copy for the causes.
func (w *world) retained(causes ...v1.RetainCause) (*unstructured.Unstructured, *v1.Projection) {
	w.T.Helper()
	source := w.Apply(configMap)
	rule := w.Project("settings", source, retaining(causes...))
	w.Ready(rule)
	return source, rule
}

// ordinary reports whether an object has nothing of the operator but what managedFields record.
func ordinary(object *unstructured.Unstructured) bool {
	return len(object.GetLabels()) == 0 && len(object.GetAnnotations()) == 0
}

func TestCopyOutlivesItsRule(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainRuleDeleted)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)
	w.settles()

	requests := w.requestsOf(func() {
		w.Delete(rule)
		w.Gone(rule)
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	after := w.Exists(source, w.Away, "settings", ordinary)
	assert.Equal(t, before.GetUID(), after.GetUID())
	assert.Equal(t, before.Object["data"], after.Object["data"])
	assert.Equal(t, "made the copy "+w.Away+"/settings an ordinary object, because this rule is being deleted", w.reported(rule, v1.ReasonDestinationRetained).Note)

	requests = w.requestsOf(func() {
		w.Merge(after, `{"data":{"color":"mine"}}`)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.settles()
	})
	assert.Empty(t, requests, "nobody looks after an ordinary object")
}

func TestCopyOutlivesItsRuleAndItsSource(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainRuleDeleted, v1.RetainSourceGone)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Delete(rule)
	w.Gone(rule)
	w.Exists(source, w.Away, "settings", ordinary)
}

func TestNoCopyOutlivesConsent(t *testing.T) {
	for name, consent := range map[string]string{"an opt-out": `"false"`, "no opt-in any more": `null`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, _ := w.retained(everyCause...)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":`+consent+`}}}`)
			w.gone(source, w.Away, "settings")
		})
	}
}

func TestCopyOfARenamedDestinationIsNotRetained(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(everyCause...)
	w.Merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
	w.Exists(source, w.Away, "renamed", fixture.Anything)
	w.gone(source, w.Away, "settings")
}

func TestCopyOutlivesItsSource(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainSourceGone)
	before := w.Exists(source, w.Away, "settings", fixture.Anything)

	requests := w.requestsOf(func() {
		w.Delete(source)
		said := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceDeleted)
		assert.Contains(t, said.Message, "; its copies are kept, as spec.policy.retain asks; ")
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps")+count(requests, "delete", "configmaps"), "%v", requests)
	assert.Equal(t, "settings", rule.Status.DestinationName)
	after := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, before.Object, after.Object)

	assert.Empty(t, w.requestsOf(func() {
		w.Merge(after, `{"data":{"color":"changed by hand"}}`)
		w.settles()
	}), "there is nothing to write")

	for range 3 {
		w.Merge(after, `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
			return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID)
		})
	}
	w.Merge(after, `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}}}`)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID)
	})

	w.Apply(configMap)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetUID() == before.GetUID() && data(o, "color") == "red"
	})

	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Merge(rule, `{"spec":{"policy":null}}`)
	w.gone(source, w.Away, "settings")
}

func TestRuleSaysThatNoKeptCopyIsLeft(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainSourceGone)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Delete(w.Exists(source, w.Away, "settings", fixture.Anything))
	w.Eventually(rule, func() bool {
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return rule.Status.DestinationName == ""
	}, "the status still names a copy")
	assert.NotContains(t, w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceDeleted).Message, "its copies are kept")
}

func TestNoCopyOutlivesConsentThatEndsWithTheSource(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(everyCause...)
	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.Delete(source)
	w.gone(source, w.Away, "settings")
	w.Eventually(rule, func() bool {
		require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule))
		return rule.Annotations[v1.AnnotationConsentingSource] == ""
	}, "the record of consent is still there")
}

// A rule is edited to name an object that cannot be read, and back. In between, the owner of its source opts out and deletes it.
func TestNoCopyOutlivesConsentThatEndsUnobserved(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(everyCause...)
	w.Merge(rule, `{"spec":{"source":{"group":"nobody.example.com","kind":"Nothing"}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.Delete(source)
	w.settles()
	w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Merge(rule, `{"spec":{"source":{"group":null,"kind":"ConfigMap"}}}`)
	w.gone(source, w.Away, "settings")
}

func TestCopyOfAnotherSourceIsNotRetained(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(everyCause...)
	w.Merge(rule, `{"spec":{"source":{"name":"nothing"},"destination":{"name":"settings"}}}`)
	w.gone(source, w.Away, "settings")
}

func TestCopyOfAnEarlierNameOutlivesItsSource(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainSourceGone)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.settles()
	w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Apply(configMap)
	w.Exists(source, w.Away, "renamed", fixture.Anything)
	w.gone(source, w.Away, "settings")
}

// A policy refuses to hand the copy over. The author of the rule edits it while it is being deleted.
func TestRetainIsEditedWhileTheRuleIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	source, rule := w.retained(v1.RetainRuleDeleted)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)
	policy("Forbidden")(w, w.Away)
	w.Delete(rule)
	message := w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationWriteFailed).Message
	assert.Contains(t, message, "ConfigMap "+w.Away+"/settings: the operator's label and annotations cannot be removed from the copy, as spec.policy.retain asks; "+
		"allow it, or remove the cause from spec.policy.retain")
	left, err := w.Get(source, w.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, copied.Object, left.Object)

	w.Merge(rule, `{"spec":{"policy":null}}`)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}
