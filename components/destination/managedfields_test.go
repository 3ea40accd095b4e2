package destination_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/destination"
)

// predecessor writes the copy as an operator that does not apply: by a plain create.
func (w *fixture) predecessor(manager string) {
	w.t.Helper()
	object := source(w.t, w.fill(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: $NS
  annotations: {projection.sh/owned-by-projection: $NS/rule}
  labels: {projection.sh/owned-by-projection-uid: $UID}
data: {color: red, old: "1"}
`))
	_, err := w.objects().Create(w.t.Context(), object, metav1.CreateOptions{FieldManager: manager})
	require.NoError(w.t, err)
}

func TestKeysOfAPredecessorGoWithTheSource(t *testing.T) {
	for _, known := range []bool{true, false} {
		w := newFixture(t, configMaps)
		w.predecessor("old-operator")
		if known {
			require.Eventually(t, func() bool { return len(w.set.Cache.UnreportedForeign(w.set.Owner.Key(), nil)) == 1 }, soon, tick)
		}
		outcome := w.apply(settings("blue"))
		require.False(t, outcome.Failed(), outcome.Message)
		assert.Equal(t, destination.Updated, outcome.Action)
		assert.Equal(t, map[string]any{"color": "blue"}, w.get().Object["data"])
		assert.Len(t, w.get().GetManagedFields(), 1, "nobody else owns a part of it")

		w.merge(`{"data":{"theirs":"1"}}`)
		require.False(t, w.apply(settings("red")).Failed())
		assert.Equal(t, map[string]any{"color": "red", "theirs": "1"}, w.get().Object["data"], "what others add stays")
	}
}

func TestCopyWhoseRecordOfWritersWasWiped(t *testing.T) {
	w, _ := newCopy(t)
	w.merge(`{"metadata":{"managedFields":[{}]}}`)
	w.restart()
	outcome := w.apply(settings("blue"))
	require.False(t, outcome.Failed(), outcome.Message)
	require.False(t, w.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home}, data: {size: "1"}}`).Failed())
	assert.Equal(t, map[string]any{"size": "1"}, w.get().Object["data"])
}
