package hostile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// manifestOf returns the object as kubectl get -o yaml prints it, for another place: without what the API server assigns.
func manifestOf(copied *unstructured.Unstructured, namespace, name string) *unstructured.Unstructured {
	manifest := copied.DeepCopy()
	manifest.SetNamespace(namespace)
	manifest.SetName(name)
	manifest.SetUID("")
	manifest.SetResourceVersion("")
	manifest.SetManagedFields(nil)
	return manifest
}

// leftAlone waits for an event that says that an object at the place was left alone, and returns all events that do.
func (w *world) leftAlone(rule owner.Object, place string) []eventsv1.Event {
	w.T.Helper()
	var found []eventsv1.Event
	require.Eventuallyf(w.T, func() bool {
		found = nil
		var events eventsv1.EventList
		require.NoError(w.T, w.Client.List(w.T.Context(), &events))
		for _, event := range events.Items {
			if event.Regarding.UID == rule.GetUID() && event.Reason == v1.ReasonDestinationLeftAlone && strings.Contains(event.Note, place) {
				found = append(found, event)
			}
		}
		return len(found) > 0
	}, env.Timeout, env.Interval, "no event tells of %s", place)
	return found
}

// TestCopyOfACopyMadeByHandIsLeftAlone does what kubectl get | kubectl create does, and a restore that maps namespaces.
func TestCopyOfACopyMadeByHandIsLeftAlone(t *testing.T) {
	for name, test := range map[string]struct {
		clusterwide, sameNamespace, managedFields bool
		tool                                      client.FieldOwner
	}{
		"in another namespace":                      {true, false, false, "kubectl-create"},
		"in another namespace, with managed fields": {true, false, true, "kubectl-create"},
		"under another name":                        {false, true, false, "kubectl-create"},
		"under another name, with managed fields":   {false, true, true, "kubectl-create"},
		"by a restore that maps namespaces":         {true, false, false, "velero-server"},
		"by an operator that updates":               {true, false, false, "manager"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Create(configMap)
			var rule owner.Object
			if test.clusterwide {
				w.Merge(w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"labels":{"copies-of":"$HOME"}}}`)
				rule = w.everywhere(source, "copies-of", w.Home)
			} else {
				rule = w.project(source)
			}
			w.Ready(rule)
			copied := w.becomes(source, fixture.Anything)

			namespace := w.Away
			if !test.sameNamespace {
				namespace = w.Namespace("more", nil)
			}
			made := manifestOf(copied, namespace, "made-by-hand")
			require.NoError(t, w.Client.Create(t.Context(), made, test.tool))
			if test.managedFields { // kubectl replace; kubectl create makes its own
				made.SetManagedFields(copied.GetManagedFields())
				require.NoError(t, w.Client.Update(t.Context(), made, test.tool))
				require.Contains(t, managersOf(made), copied.GetManagedFields()[0].Manager)
			}

			events := w.leftAlone(rule, namespace+"/made-by-hand")
			assert.Equal(t, "Warning", events[0].Type)
			w.Merge(source, `{"data":{"color":"blue"}}`)
			w.becomes(source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
			w.settles()
			w.unchanged(made)
			w.Ready(rule)
			events = w.leftAlone(rule, namespace+"/made-by-hand")
			require.Len(t, events, 1, "it is told once")
			assert.Nil(t, events[0].Series, "it is told once")

			w.Delete(rule)
			w.Gone(rule)
			w.unchanged(made)
		})
	}
}

func managersOf(object *unstructured.Unstructured) (managers []string) {
	for _, entry := range object.GetManagedFields() {
		managers = append(managers, entry.Manager)
	}
	return managers
}

// TestMarkWithoutAPlaceGivesNothingAway covers marks as version 1 wrote them, on an object that somebody else made where
// the rule wants no copy.
func TestMarkWithoutAPlaceGivesNothingAway(t *testing.T) {
	for name, marks := range map[string]string{"a rule's": ofRule, "a cluster's rule's": ofCluster} {
		t.Run(name, func(t *testing.T) {
			f := newForger(t)
			forged := f.forge("forged", marks)
			rule := owner.Object(f.rule)
			if marks == ofCluster {
				rule = f.cluster
			}
			f.leftAlone(rule, f.Away+"/forged")
			requests := f.requestsDuring(func() {
				f.Merge(forged, `{"data":{"mine":"2"}}`)
				f.settles()
			})
			assert.Empty(t, requests, "a change of it is no news")

			f.Delete(f.rule)
			f.Gone(f.rule)
			f.Delete(f.cluster)
			f.Gone(f.cluster)
			f.unchanged(forged)
		})
	}
}

func TestMarkOfAnotherPlaceIsInTheWayOfACopy(t *testing.T) {
	f := newForger(t)
	copied := f.becomes(f.source, fixture.Anything)
	taken := f.Namespace("more", nil)
	made := manifestOf(copied, taken, "settings")
	annotations := made.GetAnnotations()
	delete(annotations, v1.AnnotationOwnedByProjection)
	annotations[v1.AnnotationOwnedByClusterProjection] = f.cluster.Name
	made.SetAnnotations(annotations)
	made.SetLabels(map[string]string{v1.LabelOwnedByClusterProjectionUID: string(f.cluster.UID)})
	made.Object["data"] = map[string]any{"mine": "1"}
	require.NoError(t, f.Client.Create(t.Context(), made))

	f.Merge(f.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: `+taken+`}}`), `{"metadata":{"labels":{"copies-of":"$HOME"}}}`)
	message := f.says(f.cluster, v1.ReasonDestinationConflict)
	assert.Contains(t, message, "projection.sh/place")
	f.Merge(f.source, `{"data":{"color":"blue"}}`)
	f.settles()
	f.unchanged(made)
	requests := f.requestsDuring(func() { f.Merge(made, `{"data":{"mine":"2"}}`); f.settles() })
	assert.Empty(t, requests, "a change of it is no news")

	f.Merge(made, `{"metadata":{"annotations":{"projection.sh/place":null}}}`)
	f.Ready(f.cluster)
	given := f.read(f.source, taken, "settings")
	assert.Equal(t, made.GetUID(), given.GetUID(), "it was given to the rule")
	assert.Equal(t, "blue", entry(given, "color"))
	assert.Equal(t, taken+"/settings", given.GetAnnotations()["projection.sh/place"])
}

// TestObjectWithTheMarksOfItsPlaceIsTheRules covers a restore to the same place: no field manager of ours is known.
func TestObjectWithTheMarksOfItsPlaceIsTheRules(t *testing.T) {
	w := newWorld(t)
	source := w.Create(configMap)
	restored := w.Object(`{apiVersion: v1, kind: ConfigMap, data: {color: old}, metadata: {namespace: $AWAY, name: settings,
		labels: {projection.sh/owned-by-projection-uid: former},
		annotations: {projection.sh/owned-by-projection: $AWAY/rule, projection.sh/place: $AWAY/settings}}}`)
	require.NoError(t, w.Client.Create(t.Context(), restored, client.FieldOwner("velero-server")))
	rule := w.project(source, func(p *v1.Projection) { p.Name, p.GenerateName = "rule", "" })
	w.Ready(rule)
	put := w.becomes(source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "red" })
	assert.Equal(t, restored.GetUID(), put.GetUID())
}
