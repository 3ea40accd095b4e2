package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// creating lets a Projection create its copy and leave its content as it is.
func creating(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly }

// written waits until the rule is ready and says that of its copies.
func (w *world) written(rule *v1.Projection, message string) {
	w.T.Helper()
	w.Eventually(rule, func() bool {
		return w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected).Message == message
	}, "it does not say: %s", message)
}

const earlierContent = "the copy keeps earlier content, because spec.policy.updates is CreateOnly"

// created creates a source and a rule that creates its copy only, and returns them with the copy.
func (w *world) created() (source *unstructured.Unstructured, rule *v1.Projection, copied *unstructured.Unstructured) {
	w.T.Helper()
	source = w.Apply(configMap)
	rule = w.Project("settings", source, creating)
	w.written(rule, "the copy exists")
	copied = w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	w.settles()
	return source, rule, copied
}

func TestCopyKeepsItsContent(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()

	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.written(rule, earlierContent)
		w.settles()
	})
	assert.Equal(t, []string{"get configmaps", "update projections/status"}, names(requests))

	requests = w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"green"}}`)
		w.settles()
	})
	assert.Equal(t, []string{"get configmaps"}, names(requests))
	w.Merge(rule, `{"spec":{"overlay":{"labels":{"team":"shop"}}}}`)
	w.settles()
	assert.Equal(t, copied.Object, w.Exists(source, w.Away, "settings", fixture.Anything).Object)

	w.Merge(rule, `{"spec":{"overlay":null}}`)
	w.Merge(source, `{"data":{"color":"red"}}`)
	w.written(rule, "the copy exists")
}

func TestWhatOthersDoToACopyThatKeepsItsContentStays(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()
	requests := w.requestsOf(func() {
		for range 3 {
			w.Merge(copied, `{"data":{"color":"by hand"}}`)
			w.Merge(copied, `{"data":{"size":null,"color":"by another hand"},"metadata":{"labels":{"theirs":"1"}}}`)
			w.settles()
		}
	})
	assert.Empty(t, requests, "drift is nobody's concern")
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.written(rule, earlierContent)
	w.settles()
	copied = w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, map[string]any{"color": "by another hand"}, copied.Object["data"])

	t.Run("but it comes back with the content of now", func(t *testing.T) {
		requests := w.requestsOf(func() {
			w.Delete(copied)
			w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
				return o.GetUID() != copied.GetUID() && data(o, "color") == "blue" && data(o, "size") == "1"
			})
			w.settles()
		})
		assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
		w.written(rule, "the copy exists")
		w.reported(rule, v1.ReasonDriftCorrected)
	})
	t.Run("and its marks come back", func(t *testing.T) {
		w.Merge(w.Exists(source, w.Away, "settings", fixture.Anything), `{"data":{"color":"by hand"}}`)
		for _, label := range []string{`"another"`, "null"} {
			w.Merge(copied, `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":`+label+`}}}`)
			restored := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
				return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID)
			})
			assert.Equal(t, "by hand", data(restored, "color"))
		}
	})
}

func TestUpdatesAreSwitched(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()
	w.Merge(copied, `{"data":{"color":"by hand","theirs":"1"}}`)
	w.Merge(source, `{"data":{"size":"2"}}`)
	w.written(rule, earlierContent)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"policy":{"updates":"Follow"}}}`)
		w.written(rule, "the copy is in sync with its source")
		w.settles()
	})
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	copied = w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, map[string]any{"color": "red", "size": "2", "theirs": "1"}, copied.Object["data"])

	requests = w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"policy":{"updates":"CreateOnly"}}}`)
		w.written(rule, "the copy exists")
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps"), "%v", requests)
	requests = w.requestsOf(func() {
		w.Merge(rule, `{"spec":{"policy":null}}`)
		w.written(rule, "the copy is in sync with its source")
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps"), "nobody has changed it: %v", requests)
}

// Somebody removes a key from a copy and takes its label off. The source is as it was when the copy was created.
func TestUpdatesAreSwitchedAfterMarksWereRestored(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()
	w.Merge(copied, `{"data":{"size":null},"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID) && data(o, "size") == ""
	})
	w.Merge(source, `{"metadata":{"annotations":{"seen":"1"}}}`)
	w.written(rule, earlierContent)
	w.Merge(source, `{"metadata":{"annotations":{"seen":null}}}`)
	w.written(rule, "the copy exists")
	w.Merge(rule, `{"spec":{"policy":null}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "size") == "1" })
	w.written(rule, "the copy is in sync with its source")
}

func TestNobodyOverwritesAForeignObjectToCreateACopyOnly(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}, data: {color: theirs}}`)
	rule := w.Project("settings", source, creating)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()
	assert.Equal(t, foreign.Object, w.Exists(source, w.Away, "settings", fixture.Anything).Object)
	w.Delete(foreign)
	w.written(rule, "the copy exists")
}

func TestCopiesOfAFanOutKeepTheirContent(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two := w.member(w.selected()), w.member(w.selected())
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  policy: {updates: CreateOnly}`)
	w.counts(rule, 2, 0)
	says := func(message string) {
		t.Helper()
		w.Eventually(rule, func() bool {
			return w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected).Message == message
		}, "it does not say: %s", message)
	}
	says("all 2 copies exist")
	w.Merge(source, `{"data":{"color":"blue"}}`)
	says("all 2 copies exist; 2 of them keep earlier content, because spec.policy.updates is CreateOnly")
	three := w.member(w.selected())
	w.counts(rule, 3, 0)
	says("all 3 copies exist; 2 of them keep earlier content, because spec.policy.updates is CreateOnly")
	for namespace, color := range map[string]string{one: "red", two: "red", three: "blue"} {
		assert.Equal(t, color, data(w.Exists(source, namespace, "settings", fixture.Anything), "color"))
	}
	w.label(one, `{"group":null}`)
	w.gone(source, one, "settings")
	says("all 2 copies exist; 1 of them keeps earlier content, because spec.policy.updates is CreateOnly")
}

func TestCopyThatKeepsItsContentIsInSyncWhileItsRuleIsSuspended(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	w.Merge(copied, `{"data":{"color":"by hand"}}`)
	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.written(rule, earlierContent+"; the rule is suspended")
	w.Merge(copied, `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"another"}}}`)
	w.Eventually(rule, func() bool {
		return w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended).Message == "suspended: would update 1; none is in sync"
	}, "its plan is another")
	w.Merge(rule, `{"spec":{"suspend":false}}`)
	w.written(rule, earlierContent)
	assert.Equal(t, "by hand", data(w.Exists(source, w.Away, "settings", fixture.Anything), "color"))
}
