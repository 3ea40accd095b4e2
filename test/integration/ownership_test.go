package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// projectAs creates a Projection whose copy has another name.
func (w *world) projectAs(name, destination string, source *unstructured.Unstructured) *v1.Projection {
	w.T.Helper()
	gvk := source.GroupVersionKind()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, Name: name},
		Spec: v1.ProjectionSpec{
			Source:      v1.SourceRef{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: source.GetNamespace(), Name: source.GetName()},
			Destination: v1.ProjectionDestination{Name: destination},
		},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), rule))
	return rule
}

func TestForeignObjectIsLeftAloneAndTheCopyAppearsWhenItGoes(t *testing.T) {
	foreignObjects := map[string]string{
		"unmarked":                   `{}`,
		"with another rule's mark":   `{projection.sh/owned-by-projection: "$AWAY/another"}`,
		"with another tier's mark":   `{projection.sh/owned-by-cluster-projection: settings}`,
		"with a foreign namespace's": `{projection.sh/owned-by-projection: "elsewhere/settings"}`,
	}
	for name, annotations := range foreignObjects {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY, annotations: ` + annotations + `}, data: {mine: "1"}}`)
			source := w.Apply(configMap)
			rule := w.Project("settings", source)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)

			w.Merge(source, `{"data":{"color":"blue"}}`)
			w.settles()
			after, err := w.Get(source, w.Away, "settings")
			require.NoError(t, err)
			assert.Equal(t, foreign.Object, after.Object, "not a byte of a foreign object changes")

			w.Delete(foreign)
			w.Ready(rule)
			w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		})
	}
}

func TestBusyForeignObjectCausesNoRequest(t *testing.T) {
	w := newWorld(t)
	foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`)
	rule := w.Project("settings", w.Apply(configMap))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(foreign, `{"data":{"busy":"1"}}`)
		w.settles()
	})
	assert.Empty(t, requests)
}

func TestDeletingABlockedRuleLeavesTheForeignObject(t *testing.T) {
	w := newWorld(t)
	foreign := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`)
	rule := w.Project("settings", w.Apply(configMap))
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)

	w.Delete(rule)
	w.Gone(rule)
	after, err := w.Get(foreign, w.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, foreign.Object, after.Object)
}

func TestHandOver(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.reported(rule, v1.ReasonDestinationLeftAlone)

	w.Merge(source, `{"data":{"color":"blue"}}`)
	w.settles()
	after := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, "red", data(after, "color"), "what was handed over is not written any more")

	w.Delete(rule)
	w.Gone(rule)
	after = w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, copied.GetUID(), after.GetUID(), "what was handed over is not deleted either")
}

func TestSecondRuleTakesOverWhenTheFirstGoes(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	first := w.Project("first", source)
	w.Ready(first)
	second := w.Project("second", source)
	w.Says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	w.settles()
	w.Says(first, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)

	w.Delete(first)
	w.Ready(second)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationOwnedByProjection] == w.Away+"/second"
	})
}

func TestRuleRestoredFromABackupTakesItsCopyBack(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	restored := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY,
		annotations: {projection.sh/owned-by-projection: $AWAY/settings}, labels: {projection.sh/owned-by-projection-uid: former-uid}}, data: {color: green}}`)

	rule := w.Project("settings", source)
	w.Ready(rule)
	after := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(rule.UID)
	})
	assert.Equal(t, restored.GetUID(), after.GetUID())
	assert.Equal(t, "red", data(after, "color"))
}

func TestRuleOntoItsOwnSource(t *testing.T) {
	w := newWorld(t)
	w.Away = w.Home
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	condition := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, condition.Message, "the destination is the source itself")

	w.Delete(rule)
	w.Gone(rule)
	after, err := w.Get(source, w.Home, "settings")
	require.NoError(t, err)
	assert.Equal(t, source.GetResourceVersion(), after.GetResourceVersion(), "the source is never written")
}

func TestRuleThatComesToNameItsOwnCopyAsItsSource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.Merge(rule, `{"spec":{"source":{"namespace":"`+w.Away+`"}}}`)
	w.gone(source, w.Away, "settings")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)

	w.Merge(rule, `{"spec":{"source":{"namespace":"`+w.Home+`"}}}`)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)
}

func TestSourceThatIsMarkedAsACopyOfItsRuleStays(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.fanOut(source, `{namespaces: [$AWAY]}`)
	w.counts(rule, 1, 0)
	w.Merge(source, fmt.Sprintf(`{"metadata":{"labels":{%q:%q},"annotations":{%q:%q,%q:"$HOME/settings"}},"data":{"color":"blue"}}`,
		v1.LabelOwnedByClusterProjectionUID, rule.UID, v1.AnnotationOwnedByClusterProjection, rule.Name, v1.AnnotationPlace))
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.settles()

	w.Delete(rule)
	w.Gone(rule)
	after, err := w.Get(source, w.Home, "settings")
	require.NoError(t, err)
	assert.Equal(t, source.GetResourceVersion(), after.GetResourceVersion(), "the source is never written")
	w.gone(source, w.Away, "settings")
}

func TestCopyOfACopyHasOneOwnerAndNoConsent(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.projectAs("first", "one", source))
	one := w.Exists(source, w.Away, "one", fixture.Anything)

	second := w.projectAs("second", "two", one)
	w.Says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)

	w.Merge(one, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	w.Ready(second)
	two := w.Exists(source, w.Away, "two", fixture.Anything)
	assert.Equal(t, w.Away+"/second", two.GetAnnotations()[v1.AnnotationOwnedByProjection])
	assert.Equal(t, string(second.UID), two.GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.NotContains(t, two.GetAnnotations(), v1.AnnotationProjectable)
}
