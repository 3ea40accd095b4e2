package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func hash(t *testing.T, text string) string {
	t.Helper()
	return mutations.ContentHash(&uns.Unstructured{Object: apply(t, mutations.StampContentHash, mutations.Input{}, content(t, text))})
}

func TestContentHashDiffersByContent(t *testing.T) {
	const base = `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "1", b: "2"}}`
	same := map[string]string{
		"the namespace":      `{kind: ConfigMap, metadata: {name: a, namespace: y, annotations: {k: v}}, data: {a: "1", b: "2"}}`,
		"the order of keys":  `{data: {b: "2", a: "1"}, metadata: {annotations: {k: v}, name: a}, kind: ConfigMap}`,
		"the hash of before": `{kind: ConfigMap, metadata: {name: a, annotations: {k: v, projection.sh/content-hash: old}}, data: {a: "1", b: "2"}}`,
	}
	other := map[string]string{
		"the name":       `{kind: ConfigMap, metadata: {name: b, namespace: x, annotations: {k: v}}, data: {a: "1", b: "2"}}`,
		"an annotation":  `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: w}}, data: {a: "1", b: "2"}}`,
		"a label":        `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}, labels: {l: m}}, data: {a: "1", b: "2"}}`,
		"a type":         `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: 1, b: "2"}}`,
		"a value":        `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "1", b: "3"}}`,
		"a place":        `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "12", b: ""}}`,
		"the kind":       `{kind: Secret, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "1", b: "2"}}`,
		"one empty more": `{kind: ConfigMap, metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "1", b: "2"}, x: {}}`,
	}
	wanted := hash(t, base)
	require.Regexp(t, "^[0-9a-f]{32}$", wanted)
	for name, text := range same {
		assert.Equal(t, wanted, hash(t, text), name)
	}
	for name, text := range other {
		assert.NotEqual(t, wanted, hash(t, text), name)
	}
}

func TestStampContentHashKeepsTheRest(t *testing.T) {
	before := content(t, `{metadata: {name: a, namespace: x, annotations: {k: v}}, data: {a: "1"}}`)
	after := apply(t, mutations.StampContentHash, mutations.Input{}, before)
	delete(after["metadata"].(map[string]any)["annotations"].(map[string]any), v1.AnnotationContentHash)
	assert.Equal(t, before, after)
	run(t, mutations.StampContentHash, mutations.Input{}, []row{{
		name: "without annotations", before: `{metadata: {name: a}}`,
		after: `{metadata: {name: a, annotations: {projection.sh/content-hash: ` + hash(t, `{metadata: {name: a}}`) + `}}}`,
	}})
}

func TestContentHashNeedsAnAnnotationToStandIn(t *testing.T) {
	_, err := tryApply(t, mutations.StampContentHash, mutations.Input{}, map[string]any{"metadata": "text"})
	require.Error(t, err, "there is no place for the annotation")
}

func TestContentHashOfAForeignObjectIsEmpty(t *testing.T) {
	assert.Empty(t, mutations.ContentHash(&uns.Unstructured{}))
	assert.Empty(t, mutations.ContentHash(&uns.Unstructured{Object: map[string]any{"metadata": []any{}}}))
}
