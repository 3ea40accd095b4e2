package crash_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// changed reports whether the copy has the content that somebody gave it, and all marks.
func changed(copied *unstructured.Unstructured) bool {
	color, _, _ := unstructured.NestedString(copied.Object, "data", "color")
	return color == "by hand" && isCopy(copied) && copied.GetLabels()[v1.LabelOwnedByClusterProjectionUID] != ""
}

// keepingContent creates a rule whose copies keep their content. Somebody has changed both, and then the source.
func (w *world) keepingContent() {
	w.T.Helper()
	creating(w)
	w.settles()
	for _, role := range []string{one, two} {
		w.patch(w.object("ConfigMap", role, "settings"), `{"data":{"color":"by hand"}}`)
	}
	w.editSource(`{"data":{"color":"blue"}}`)
	w.rests()
}

func TestRestartWritesNoCopyThatKeepsItsContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "create", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.keepingContent()
	require.NoError(t, operator.Stop())

	w.startsWithoutWriting("while-copies-keep-their-content")
	assert.True(t, w.eachCopy(changed))

	w.patch(w.rule("rule"), `{"spec":{"policy":null}}`)
	require.Eventually(t, func() bool {
		return w.eachCopy(func(copied *unstructured.Unstructured) bool {
			color, _, _ := unstructured.NestedString(copied.Object, "data", "color")
			return color == "blue"
		})
	}, timeout, interval)
}

// A copy that keeps its content loses its label while no operator runs.
func TestCopyThatKeepsItsContentGetsItsLabelBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "create", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.keepingContent()
	require.NoError(t, operator.Stop())
	w.patch(w.object("ConfigMap", one, "settings"), `{"metadata":{"labels":{"projection.sh/owned-by-cluster-projection-uid":null}}}`)

	w.serveWorld()
	require.Eventually(t, func() bool { return w.eachCopy(changed) }, timeout, interval)
	w.rests()
	assert.True(t, w.eachCopy(changed))
}
