package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/mutations"
)

func TestFilterMetadata(t *testing.T) {
	const before = `metadata: {name: a, labels: {app: shop, example.com/a: x, example.com/b: y}, annotations: {note: n, example.com/a: x}}`
	for name, test := range map[string]struct {
		content mutations.Content
		after   string
	}{
		"nothing chosen": {mutations.Content{}, before},
		"labels included": {
			mutations.Content{Labels: mutations.KeyFilter{Include: []string{"example.com/*"}}},
			`metadata: {name: a, labels: {example.com/a: x, example.com/b: y}, annotations: {note: n, example.com/a: x}}`,
		},
		"exclude wins": {
			mutations.Content{Labels: mutations.KeyFilter{Include: []string{"example.com/*"}, Exclude: []string{"*/a"}}},
			`metadata: {name: a, labels: {example.com/b: y}, annotations: {note: n, example.com/a: x}}`,
		},
		"no label is left": {
			mutations.Content{Labels: mutations.KeyFilter{Exclude: []string{"*"}}},
			`metadata: {name: a, annotations: {note: n, example.com/a: x}}`,
		},
		"annotations by themselves": {
			mutations.Content{Annotations: mutations.KeyFilter{Include: []string{"note", "none"}}},
			`metadata: {name: a, labels: {app: shop, example.com/a: x, example.com/b: y}, annotations: {note: n}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, mutations.FilterMetadata, mutations.Input{Content: test.content}, []row{{name: "filtered", before: before, after: test.after}})
		})
	}
}

// What never is copied does not come back by Include, and what the rule says of its own is not asked.
func TestFilterMetadataConcernsWhatIsLeftOfTheSource(t *testing.T) {
	all := sources(t)
	source := all["configmap-settings"]
	source.SetLabels(map[string]string{"app": "shop", "app.kubernetes.io/instance": "tool"})
	source.SetAnnotations(map[string]string{"projection.sh/projectable": "true", "note": "n"})
	in := inputFor(source, byProjection)
	in.Content.Labels = mutations.KeyFilter{Include: []string{"app.kubernetes.io/instance"}}
	in.Content.Annotations = mutations.KeyFilter{Include: []string{"*"}, Exclude: []string{"overlaid", "projection.sh/*"}}
	in.Overlay.Annotations = map[string]string{"overlaid": "kept"}

	copied := mustRender(t, in, source)

	assert.Equal(t, map[string]string{byProjection.LabelKey: byProjection.LabelValue}, copied.GetLabels())
	assert.Equal(t, "kept", copied.GetAnnotations()["overlaid"])
	assert.Equal(t, "n", copied.GetAnnotations()["note"])
	assert.Equal(t, byProjection.AnnotationValue, copied.GetAnnotations()[byProjection.AnnotationKey])
	assert.NotContains(t, copied.GetAnnotations(), "projection.sh/projectable")
}
