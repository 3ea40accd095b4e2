package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// merging returns the input of a rule that merges the layers, which are YAML. They are called l1, l2, ….
func merging(t testing.TB, of string, policy mutations.KeyConflict, layers ...string) mutations.Input {
	t.Helper()
	in := kind("", of)
	in.Source = types.NamespacedName{Namespace: "home", Name: "base"}
	in.Merge.OnKeyConflict = policy
	for i, text := range layers {
		fields := content(t, text)
		in.Merge.Layers = append(in.Merge.Layers, mutations.Layer{
			Kind: schema.GroupKind{Kind: of}, Source: types.NamespacedName{Namespace: "home", Name: "l" + string(rune('1'+i))}, Content: fields,
		})
	}
	return in
}

func TestMergeLayers(t *testing.T) {
	for name, test := range map[string]struct {
		of            string
		policy        mutations.KeyConflict
		layers        []string
		before, after string
	}{
		"other keys": {
			"ConfigMap", "", []string{`{data: {b: "2"}}`, `{binaryData: {c: /w==}}`},
			`{metadata: {name: a, labels: {team: core}}, data: {a: "1"}, immutable: true}`,
			`{metadata: {name: a, labels: {team: core}}, data: {a: "1", b: "2"}, binaryData: {c: /w==}, immutable: true}`,
		},
		"all but the keys is the source's": {
			"Secret", "Last", []string{`{metadata: {labels: {x: y}, annotations: {x: y}}, type: kubernetes.io/tls, immutable: true, data: {a: Mg==}}`},
			`{metadata: {labels: {team: core}}, type: Opaque, data: {a: MQ==}}`,
			`{metadata: {labels: {team: core}}, type: Opaque, data: {a: Mg==}}`,
		},
		"equal values": {
			"ConfigMap", "Fail", []string{`{data: {a: "1"}}`, `{binaryData: {a: MQ==}}`},
			`{data: {a: "1"}}`, `{data: {a: "1"}}`,
		},
		"equal bytes in different encodings": {
			"Secret", "Fail", []string{`{data: {a: "MQ=\n="}}`}, `{data: {a: MQ==}}`, `{data: {a: MQ==}}`,
		},
		"the first": {
			"ConfigMap", "First", []string{`{data: {a: "2", b: "2"}}`, `{data: {a: "3", b: "3"}}`},
			`{data: {a: "1"}}`, `{data: {a: "1", b: "2"}}`,
		},
		"the last": {
			"ConfigMap", "Last", []string{`{data: {a: "2", b: "2"}}`, `{data: {a: "3"}}`, `{}`},
			`{data: {a: "1", c: "1"}}`, `{data: {a: "3", b: "2", c: "1"}}`,
		},
		"the last is binary": {
			"ConfigMap", "Last", []string{`{binaryData: {a: /w==}}`}, `{data: {a: "1"}}`, `{binaryData: {a: /w==}}`,
		},
		"the last is text": {
			"ConfigMap", "Last", []string{`{data: {a: "1"}}`}, `{binaryData: {a: /w==}}`, `{data: {a: "1"}}`,
		},
		"joined": {
			"ConfigMap", "Join", []string{`{data: {a: "2\n"}}`, `{data: {a: "3"}}`}, `{data: {a: "1"}}`, `{data: {a: "1\n2\n3\n"}}`,
		},
		"joined in their order, once": {
			"ConfigMap", "Join", []string{`{data: {a: "1"}}`, `{data: {a: "2"}}`, `{data: {a: "1\n"}}`},
			`{data: {a: "2"}}`, `{data: {a: "2\n1\n"}}`,
		},
		"equal values are not joined": {
			"ConfigMap", "Join", []string{`{data: {a: "1"}}`, `{data: {b: "2"}}`}, `{data: {a: "1"}}`, `{data: {a: "1", b: "2"}}`,
		},
		"text in binaryData is joined": {
			"ConfigMap", "Join", []string{`{data: {a: "2"}}`}, `{binaryData: {a: MQ==}}`, `{data: {a: "1\n2\n"}}`,
		},
		"an empty value adds nothing": {
			"ConfigMap", "Join", []string{`{data: {a: ""}}`, `{data: {a: "2"}}`}, `{data: {a: "1"}}`, `{data: {a: "1\n2\n"}}`,
		},
		"values of a Secret are joined": {
			"Secret", "Join", []string{`{data: {a: Mg==}}`}, `{data: {a: MQ==}}`, `{data: {a: MQoyCg==}}`,
		},
		"binary values that are equal are not joined": {
			"Secret", "Join", []string{`{data: {a: /w==}}`}, `{data: {a: /w==}}`, `{data: {a: /w==}}`,
		},
		"nothing": {
			"ConfigMap", "", []string{`{}`}, `{metadata: {name: a}, data: {}}`, `{metadata: {name: a}}`,
		},
		"a source without keys": {
			"ConfigMap", "", []string{`{data: {a: "1"}}`}, `{}`, `{data: {a: "1"}}`,
		},
		"an unexpected shape": {
			"ConfigMap", "Last", []string{`{data: [a], binaryData: {a: 7}}`}, `{data: {a: {x: y}}}`, `{binaryData: {a: 7}}`,
		},
		"public keys of a layer are noted": {
			"ConfigMap", "Last", []string{`{data: {a: "2"}}`, `{metadata: {annotations: {projection.sh/published-keys: "a,b", x: y}}, data: {b: "2"}}`},
			`{metadata: {annotations: {x: z}}, data: {a: "1"}}`,
			`{metadata: {annotations: {projection.sh/published-keys: "a,b", x: z}}, data: {a: "2", b: "2"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := merging(t, test.of, test.policy, test.layers...)
			assert.Equal(t, content(t, test.after), apply(t, mutations.MergeLayers, in, content(t, test.before)))
			for i, text := range test.layers {
				assert.Equal(t, content(t, text), in.Merge.Layers[i].Content, "the layer is left alone")
			}
		})
	}
}

func TestLayersThatCannotBeMerged(t *testing.T) {
	for message, test := range map[string]struct {
		in     mutations.Input
		before string
	}{
		"ConfigMap home/base and ConfigMap home/l2 have different values for the key log-level": {
			merging(t, "ConfigMap", "", `{data: {log-level: s3cret}}`, `{data: {log-level: s4cret}}`), `{data: {log-level: s3cret}}`,
		},
		"ConfigMap home/l1 and ConfigMap home/l2 have different values for the key a": {
			merging(t, "ConfigMap", "Fail", `{data: {b: s3cret, a: s3cret}}`, `{data: {b: s4cret, a: s4cret}}`), `{}`,
		},
		"the value of the key a in Secret home/l1 is not text, and is not joined with that of another object": {
			merging(t, "Secret", "Join", `{data: {a: /w==}}`), `{data: {a: MQ==}}`,
		},
		"the value of the key a in ConfigMap home/base is not text, and is not joined with that of another object": {
			merging(t, "ConfigMap", "Join", `{data: {a: s3cret}}`), `{data: {a: "\0"}}`,
		},
	} {
		_, err := tryApply(t, mutations.MergeLayers, test.in, content(t, test.before))
		var refused *mutations.SourceError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, message, refused.Message)
		assert.NotRegexp(t, "s[34]cret", err.Error())
	}
	for message, in := range map[string]mutations.Input{
		`"Middle" says nothing of keys that have different values`:            merging(t, "ConfigMap", "Middle", `{data: {a: "2"}}`),
		"a Deployment has no keys to merge: only ConfigMaps and Secrets have": merging(t, "Deployment", "", `{data: {a: "2"}}`),
	} {
		_, err := tryApply(t, mutations.MergeLayers, in, content(t, `{data: {a: "1"}}`))
		var refused *mutations.InputError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, message, refused.Message)
	}
}

func TestLayersOfTheOtherKindAreConvertedFirst(t *testing.T) {
	asSecret := layerOf(t, "ConfigMap", "Secret", nil, `{apiVersion: v1, kind: ConfigMap, data: {a: "2"}, binaryData: {b: /w==}}`)
	in := kind("", "Secret")
	in.Stamp, in.Merge = byProjection, mutations.Merge{Layers: []mutations.Layer{asSecret}, OnKeyConflict: mutations.JoinOnConflict}
	copied := mustRender(t, in, object(t, `{apiVersion: v1, kind: Secret, metadata: {name: a}, type: Opaque, data: {a: MQ==}}`))
	assert.Equal(t, map[string]any{"a": "MQoyCg==", "b": "/w=="}, copied.Object["data"])
	assert.Equal(t, "Opaque", copied.Object["type"])

	public := layerOf(t, "Secret", "ConfigMap", []string{"ca.crt"}, `{apiVersion: v1, kind: Secret, data: {ca.crt: MQ==, tls.key: Mg==}}`)
	in = kind("", "ConfigMap")
	in.Stamp, in.Merge, in.Content.Data.Include = byProjection, mutations.Merge{Layers: []mutations.Layer{public}}, []string{"ca.crt"}
	in.Content.Data.AllowMissing = true
	copied = mustRender(t, in, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: "2"}}`))
	assert.Equal(t, map[string]any{"ca.crt": "1"}, copied.Object["data"])
	assert.Equal(t, "ca.crt", copied.GetAnnotations()[v1.AnnotationPublishedKeys])
}

// layerOf returns the object as a layer of copies of another kind.
func layerOf(t *testing.T, from, to string, include []string, text string) mutations.Layer {
	t.Helper()
	in := converted(from, to, include...)
	copied := object(t, text)
	for _, m := range mutations.ForLayer(in) {
		copied.Object = apply(t, m.Name, in, copied.Object)
	}
	return mutations.Layer{Kind: in.Kind, Content: copied.Object}
}

func object(t *testing.T, text string) *uns.Unstructured {
	t.Helper()
	return &uns.Unstructured{Object: content(t, text)}
}

func TestForLayerEndsBeforeLayersAreMerged(t *testing.T) {
	names := []string{}
	for _, m := range mutations.ForLayer(mutations.Input{}) {
		names = append(names, m.Name)
	}
	all := mutations.Names()
	assert.Equal(t, all[:len(names)], names)
	assert.Equal(t, mutations.MergeLayers, all[len(names)])
}

// Each layer is filtered by itself: two sources whose key gets the same name are merged.
func TestKeysAreRenamedBeforeTheyAreMerged(t *testing.T) {
	in := mutations.Input{Kind: kind("", "ConfigMap").Kind, Stamp: byProjection}
	in.Content.Data.Rename = []mutations.KeyRename{{Pattern: ".*", To: "ca.crt"}}
	layer := object(t, `{apiVersion: v1, kind: ConfigMap, data: {two.pem: "2"}}`)
	for _, m := range mutations.ForLayer(in) {
		layer.Object = apply(t, m.Name, in, layer.Object)
	}
	in.Merge = mutations.Merge{OnKeyConflict: mutations.JoinOnConflict, Layers: []mutations.Layer{{Kind: in.Kind, Content: layer.Object}}}
	copied := mustRender(t, in, object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {one.pem: "1"}}`))
	assert.Equal(t, map[string]any{"ca.crt": "1\n2\n"}, copied.Object["data"])
}

func TestCopyNamesItsLayers(t *testing.T) {
	in := merging(t, "ConfigMap", "", `{data: {b: "2"}}`, `{data: {c: "3"}}`)
	in.Stamp, in.Merge.Layers[1].Kind.Kind = byProjection, "Secret"
	in.Merge.Layers = append(in.Merge.Layers, in.Merge.Layers[0])
	source := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "1"}}`)
	copied := mustRender(t, in, source)
	assert.Equal(t, "ConfigMap/home/l1,Secret/home/l2", copied.GetAnnotations()[v1.AnnotationLayers])

	in.Merge.Layers = nil
	assert.NotContains(t, mustRender(t, in, source).GetAnnotations(), v1.AnnotationLayers)
	unnamed := merging(t, "ConfigMap", "", `{data: {b: "2"}}`)
	unnamed.Stamp, unnamed.Source = byProjection, types.NamespacedName{}
	assert.NotContains(t, mustRender(t, unnamed, source).GetAnnotations(), v1.AnnotationLayers)
}
