package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// newDeployment returns a fixture whose rule has copied a Deployment with three replicas.
func newDeployment(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t, deployments)
	w.set.Clean = &destination.CleanFields{}
	require.False(t, w.apply(shop("a")).Failed())
	require.Equal(t, int64(3), w.replicas())
	w.tap.take()
	return w
}

func shop(image string) string {
	return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: settings, namespace: home}, spec: {replicas: 3,
selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: ` + image + `}]}}}}`
}

func (w *fixture) replicas() any {
	w.t.Helper()
	return w.get().Object["spec"].(map[string]any)["replicas"]
}

// exclude edits the rule: a rule with another filter of fields knows nothing of what it has written.
func (w *fixture) exclude(paths ...string) {
	w.rule.Spec.Content.Fields = v1.FieldFilter{Exclude: paths}
	w.set.Clean = &destination.CleanFields{}
}

func TestFieldThatIsExcludedKeepsItsValue(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")

	require.False(t, w.apply(shop("a")).Failed())
	assert.Equal(t, []string{http.MethodGet, http.MethodPatch, http.MethodPatch}, w.tap.take())
	assert.Equal(t, int64(3), w.replicas(), "it is nobody's")

	_, err := w.objects().Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{FieldManager: "autoscaler"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return w.set.Cache.ByOwner(w.set.Owner.Key())[0].ResourceVersion == w.get().GetResourceVersion()
	}, soon, tick)
	require.False(t, w.apply(shop("b")).Failed())
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take(), "an edit of the source costs one request")
	assert.Equal(t, int64(7), w.replicas(), "it is the autoscaler's")
}

// applyFor applies the copy to the namespace, which has these labels.
func (w *fixture) applyFor(manifest string, labels map[string]string) destination.Outcome {
	w.t.Helper()
	renderer, err := destination.Render(source(w.t, manifest), w.set.Owner, specOf(w.rule), "v1.36.0")
	require.NoError(w.t, err)
	desired, err := renderer.Copy(destination.Target{Namespace: w.namespace, Labels: labels})
	require.NoError(w.t, err)
	return w.writer.Apply(w.t.Context(), w.set, desired)
}

// A field that the rule excludes, and sets for some namespaces only, is given up in the others.
func TestFieldThatIsSetForOtherNamespacesKeepsItsValue(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	w.rule.Spec.Overlay.Fields = []v1.OverlayField{
		{Path: "spec.replicas", Expression: "target.labels[?'fixed'].hasValue() ? optional.of(5) : optional.none()"},
	}
	require.False(t, w.applyFor(shop("a"), map[string]string{"fixed": "yes"}).Failed())
	assert.Equal(t, int64(5), w.replicas())
	w.tap.take()

	require.False(t, w.applyFor(shop("b"), map[string]string{}).Failed())
	assert.Equal(t, []string{http.MethodGet, http.MethodPatch, http.MethodPatch}, w.tap.take())
	assert.Equal(t, int64(5), w.replicas(), "it is nobody's, and not reset")
	_, err := w.objects().Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{FieldManager: "autoscaler"})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return w.set.Cache.ByOwner(w.set.Owner.Key())[0].ResourceVersion == w.get().GetResourceVersion()
	}, soon, tick)
	require.False(t, w.applyFor(shop("c"), map[string]string{}).Failed())
	assert.Equal(t, int64(7), w.replicas(), "it is the autoscaler's")
}

// The operator is killed after it has given the field up, and before it has applied the copy.
func TestFieldThatIsExcludedKeepsItsValueWhenTheOperatorIsKilled(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	patches := 0
	w.tap.always(http.MethodPatch, func() {
		if patches++; patches == 1 {
			w.tap.refuse(http.MethodPatch) // from the second one on
		}
	})
	require.True(t, w.apply(shop("a")).Failed())
	assert.Equal(t, int64(3), w.replicas())
	w.tap.refuse("")
	w.tap.take()

	w.restart()
	w.known(1)
	w.set.Clean = &destination.CleanFields{}
	require.False(t, w.apply(shop("a")).Failed())
	assert.Equal(t, []string{http.MethodGet, http.MethodPatch}, w.tap.take(), "there is nothing left to give up")
	assert.Equal(t, int64(3), w.replicas())
}

func TestFieldThatIsCopiedAgainIsOurs(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	require.False(t, w.apply(shop("a")).Failed())
	w.exclude()
	_, err := w.objects().Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{FieldManager: "autoscaler"})
	require.NoError(t, err)

	require.False(t, w.apply(shop("a")).Failed())

	assert.Equal(t, int64(3), w.replicas())
}

// A field that the source does not have any more is removed from the copies, as without a filter.
func TestFieldThatGoesFromTheSourceIsNotGivenUp(t *testing.T) {
	w := newFixture(t, configMaps)
	w.exclude("data.mode")
	w.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home}, data: {color: red, size: "1", mode: safe}}`)
	assert.Equal(t, map[string]any{"color": "red", "size": "1"}, w.get().Object["data"])

	w.apply(settings("blue"))

	assert.Equal(t, map[string]any{"color": "blue"}, w.get().Object["data"])
}

// A copy that somebody else writes at the same moment is looked at again.
func TestFieldIsGivenUpOnTheVersionThatIsThere(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	w.tap.once(http.MethodGet, func() { w.merge(`{"metadata":{"annotations":{"theirs":"1"}}}`) })

	require.False(t, w.apply(shop("b")).Failed())

	assert.Equal(t, int64(3), w.replicas())
	assert.Equal(t, "1", w.get().GetAnnotations()["theirs"])
}

// Somebody takes the entries of all field managers away. The API server then records what was there as an update, the replicas among it,
// and our next apply shows that: they are given up before the copy is applied again.
func TestFieldThatIsExcludedKeepsItsValueWhenManagedFieldsAreCleared(t *testing.T) {
	w := newDeployment(t)
	w.exclude("spec.replicas")
	require.False(t, w.apply(shop("a")).Failed())
	_, err := w.objects().Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{FieldManager: "autoscaler"})
	require.NoError(t, err)
	w.merge(`{"metadata":{"managedFields":[{}]}}`)

	require.False(t, w.apply(shop("b")).Failed())

	assert.Equal(t, int64(7), w.replicas())
}
