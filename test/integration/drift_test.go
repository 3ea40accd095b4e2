package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestWhatOthersDoToACopyIsUndoneIfItIsOurs(t *testing.T) {
	tests := map[string]struct {
		patch string
		holds func(*unstructured.Unstructured) bool
	}{
		"a value that was changed": {
			`{"data":{"color":"green"}}`,
			func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" },
		},
		"a key that was removed": {
			`{"data":{"color":null}}`,
			func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" },
		},
		"the label with the uid": {
			`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}}}`,
			func(o *unstructured.Unstructured) bool { return o.GetLabels()[v1.LabelOwnedByProjectionUID] != "" },
		},
		"the label with another uid": {
			`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"another"}}}`,
			func(o *unstructured.Unstructured) bool {
				return o.GetLabels()[v1.LabelOwnedByProjectionUID] != "another"
			},
		},
		"the content hash": {
			`{"metadata":{"annotations":{"projection.sh/content-hash":"forged"}}}`,
			func(o *unstructured.Unstructured) bool {
				return o.GetAnnotations()[v1.AnnotationContentHash] != "forged"
			},
		},
		"the source that it names": {
			`{"metadata":{"annotations":{"projection.sh/source":"ConfigMap/forged/settings"}}}`,
			func(o *unstructured.Unstructured) bool {
				return o.GetAnnotations()[v1.AnnotationSource] != "ConfigMap/forged/settings"
			},
		},
		"everything at once": {
			`{"data":null}`,
			func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" && data(o, "size") == "1" },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Apply(configMap)
			w.Ready(w.Project("settings", source))
			copied := w.Exists(source, w.Away, "settings", fixture.Anything)

			w.Merge(copied, test.patch)

			after := w.Exists(source, w.Away, "settings", test.holds)
			assert.Equal(t, copied.GetUID(), after.GetUID(), "the copy was repaired, not replaced")
		})
	}
}

func TestWhatOthersAddToACopyStaysAndCausesNoWrite(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("settings", source))
	copied := w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Merge(copied, `{"metadata":{"labels":{"theirs":"1"},"annotations":{"theirs":"1"}},"data":{"theirs":"1"}}`)
	requests := w.requestsOf(func() {
		w.Merge(copied, `{"metadata":{"labels":{"theirs":"2"}}}`)
		w.settles()
	})
	assert.Empty(t, requests)

	// A later write of ours leaves it alone, too.
	w.Merge(source, `{"data":{"color":"blue"}}`)
	after := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	assert.Equal(t, "2", after.GetLabels()["theirs"])
	assert.Equal(t, "1", data(after, "theirs"))
}

func TestForcedTakeoverByAnotherManagerIsTakenBack(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("settings", source))
	w.Exists(source, w.Away, "settings", fixture.Anything)

	theirs := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $AWAY, name: settings}, data: {color: green}}`)
	require.NoError(t, w.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(theirs), client.FieldOwner("somebody"), client.ForceOwnership))

	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
}
