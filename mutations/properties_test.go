package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func mustRender(t *testing.T, in mutations.Input, source *uns.Unstructured) *uns.Unstructured {
	t.Helper()
	rendered, err := render(in, source)
	require.NoError(t, err)
	return rendered
}

func TestPipelineIsDeterministicAndIdempotent(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byProjection)
			in.Overlay = mutations.Overlay{Labels: map[string]string{"tenant": "a"}, Annotations: map[string]string{"note": "b"}}
			before := source.DeepCopy()
			once := mustRender(t, in, source)
			assert.Equal(t, once, mustRender(t, in, source), "the same again")
			assert.Equal(t, once, mustRender(t, in, once), "its own result")
			assert.Equal(t, before, source, "the source is left alone")
		})
	}
}

func TestCopyOfACopyHasOneOwnerAndNoConsent(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			first := mustRender(t, inputFor(source, byClusterProjection), placed(source, "b", "first"))
			consenting := first.DeepCopy()
			annotations := consenting.GetAnnotations()
			annotations[v1.AnnotationProjectable] = v1.ProjectableTrue
			consenting.SetAnnotations(annotations)

			second := mustRender(t, inputFor(source, byProjection), placed(consenting, "c", "second"))
			assert.Equal(t, byProjection.AnnotationValue, second.GetAnnotations()[byProjection.AnnotationKey])
			assert.Equal(t, byProjection.LabelValue, second.GetLabels()[byProjection.LabelKey])
			assert.NotContains(t, second.GetAnnotations(), byClusterProjection.AnnotationKey)
			assert.NotContains(t, second.GetLabels(), byClusterProjection.LabelKey)
			assert.NotContains(t, second.GetAnnotations(), v1.AnnotationProjectable)

			direct := mustRender(t, inputFor(source, byProjection), placed(source, "c", "second"))
			assert.Equal(t, direct, second, "a chain loses nothing")
		})
	}
}

func TestOneHashServesAllTargets(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byClusterProjection)
			wanted := mutations.ContentHash(mustRender(t, in, placed(source, "a", "copy")))
			assert.NotEmpty(t, wanted)
			assert.Equal(t, wanted, mutations.ContentHash(mustRender(t, in, placed(source, "b", "copy"))))
			assert.NotEqual(t, wanted, mutations.ContentHash(mustRender(t, in, placed(source, "a", "renamed"))))
			assert.NotEqual(t, wanted, mutations.ContentHash(mustRender(t, inputFor(source, byProjection), placed(source, "a", "copy"))))
		})
	}
}

// What controllers go on doing to a source must not be news to its copies.
func TestHashIgnoresWhatDoesNotTravel(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byProjection)
			touched := source.DeepCopy()
			touched.SetResourceVersion("987654")
			touched.SetGeneration(99)
			touched.SetFinalizers([]string{"example.com/hold"})
			touched.Object["status"] = map[string]any{"phase": "Changed"}
			assert.Equal(t, mustRender(t, in, source), mustRender(t, in, touched))
		})
	}
}

func TestOverlayWinsOverTheSourceAndOwnershipOverAll(t *testing.T) {
	source := &uns.Unstructured{Object: content(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, labels: {app: source, app.kubernetes.io/instance: source}}`)}
	in := inputFor(source, byProjection)
	in.Overlay.Labels = map[string]string{
		"app": "overlay", "app.kubernetes.io/instance": "wanted", byProjection.LabelKey: "stolen",
	}
	assert.Equal(t, map[string]string{
		"app": "overlay", "app.kubernetes.io/instance": "wanted", byProjection.LabelKey: byProjection.LabelValue,
	}, mustRender(t, in, source).GetLabels())
}
