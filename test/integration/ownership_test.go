package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// projectAs creates a Projection whose copy has another name.
func (w *world) projectAs(name, destination string, source *unstructured.Unstructured) *v1.Projection {
	w.t.Helper()
	gvk := source.GroupVersionKind()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.away, Name: name},
		Spec: v1.ProjectionSpec{
			Source:      v1.SourceRef{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: source.GetNamespace(), Name: source.GetName()},
			Destination: v1.ProjectionDestination{Name: destination},
		},
	}
	require.NoError(w.t, w.client.Create(w.t.Context(), rule))
	return rule
}

func TestStrangerIsLeftAloneAndTheCopyAppearsWhenItGoes(t *testing.T) {
	strangers := map[string]string{
		"unmarked":                   `{}`,
		"with another rule's mark":   `{projection.sh/owned-by-projection: "$AWAY/another"}`,
		"with another tier's mark":   `{projection.sh/owned-by-cluster-projection: settings}`,
		"with a foreign namespace's": `{projection.sh/owned-by-projection: "elsewhere/settings"}`,
	}
	for name, annotations := range strangers {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			stranger := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY, annotations: ` + annotations + `}, data: {mine: "1"}}`)
			source := w.apply(configMap)
			rule := w.project("settings", source)
			w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)

			w.merge(source, `{"data":{"color":"blue"}}`)
			w.settles()
			after, err := w.get(source, w.away, "settings")
			require.NoError(t, err)
			assert.Equal(t, stranger.Object, after.Object, "not a byte of a stranger changes")

			w.delete(stranger)
			w.ready(rule)
			w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		})
	}
}

func TestBusyStrangerCausesNoRequest(t *testing.T) {
	w := newWorld(t)
	stranger := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`)
	rule := w.project("settings", w.apply(configMap))
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()

	requests := w.requestsOf(func() {
		w.merge(stranger, `{"data":{"busy":"1"}}`)
		w.settles()
	})
	assert.Empty(t, requests)
}

func TestDeletingABlockedRuleLeavesTheStranger(t *testing.T) {
	w := newWorld(t)
	stranger := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`)
	rule := w.project("settings", w.apply(configMap))
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)

	w.delete(rule)
	w.ruleGone(rule)
	after, err := w.get(stranger, w.away, "settings")
	require.NoError(t, err)
	assert.Equal(t, stranger.Object, after.Object)
}

func TestHandOver(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)
	copied := w.exists(source, w.away, "settings", anything)

	w.merge(copied, `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)
	w.says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.reported(rule, v1.ReasonDestinationLeftAlone)

	w.merge(source, `{"data":{"color":"blue"}}`)
	w.settles()
	after := w.exists(source, w.away, "settings", anything)
	assert.Equal(t, "red", data(after, "color"), "what was handed over is not written any more")

	w.delete(rule)
	w.ruleGone(rule)
	after = w.exists(source, w.away, "settings", anything)
	assert.Equal(t, copied.GetUID(), after.GetUID(), "what was handed over is not deleted either")
}

func TestSecondRuleTakesOverWhenTheFirstGoes(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	first := w.project("first", source)
	w.ready(first)
	second := w.project("second", source)
	w.says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()
	w.says(first, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)

	w.delete(first)
	w.ready(second)
	w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationOwnedByProjection] == w.away+"/second"
	})
}

func TestRuleRestoredFromABackupTakesItsCopyBack(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	restored := w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY,
		annotations: {projection.sh/owned-by-projection: $AWAY/settings}, labels: {projection.sh/owned-by-projection-uid: former-uid}}, data: {color: green}}`)

	rule := w.project("settings", source)
	w.ready(rule)
	after := w.exists(source, w.away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID)
	})
	assert.Equal(t, restored.GetUID(), after.GetUID())
	assert.Equal(t, "red", data(after, "color"))
}

func TestRuleOntoItsOwnSource(t *testing.T) {
	w := newWorld(t)
	w.away = w.home
	source := w.apply(configMap)
	rule := w.project("settings", source)
	condition := w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, condition.Message, "the destination is the source itself")

	w.delete(rule)
	w.ruleGone(rule)
	after, err := w.get(source, w.home, "settings")
	require.NoError(t, err)
	assert.Equal(t, source.GetResourceVersion(), after.GetResourceVersion(), "the source is never written")
}

func TestRuleThatComesToNameItsOwnCopyAsItsSource(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	rule := w.project("settings", source)
	w.ready(rule)

	w.merge(rule, `{"spec":{"source":{"namespace":"`+w.away+`"}}}`)
	w.gone(source, w.away, "settings")
	w.says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)

	w.merge(rule, `{"spec":{"source":{"namespace":"`+w.home+`"}}}`)
	w.ready(rule)
	w.exists(source, w.away, "settings", anything)
}

func TestCopyOfACopyHasOneOwnerAndNoConsent(t *testing.T) {
	w := newWorld(t)
	source := w.apply(configMap)
	w.ready(w.projectAs("first", "one", source))
	one := w.exists(source, w.away, "one", anything)

	second := w.projectAs("second", "two", one)
	w.says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)

	w.merge(one, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	w.ready(second)
	two := w.exists(source, w.away, "two", anything)
	assert.Equal(t, w.away+"/second", two.GetAnnotations()[v1.AnnotationOwnedByProjection])
	assert.Equal(t, string(second.UID), two.GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.NotContains(t, two.GetAnnotations(), v1.AnnotationProjectable)
}
