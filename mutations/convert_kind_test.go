package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func converted(from, to string, include ...string) mutations.Input {
	in := kind("", from)
	in.CopyKind, in.Content.Data.Include = to, include
	return in
}

func TestConvertKind(t *testing.T) {
	for name, test := range map[string]struct {
		in            mutations.Input
		before, after string
	}{
		"a ConfigMap becomes a Secret": {
			converted("ConfigMap", "Secret"),
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {note: n}}, data: {k: ü, e: ""}, binaryData: {b: /w==}, immutable: true, extra: gone}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {note: n}}, data: {k: w7w=, e: "", b: /w==}, immutable: true, type: Opaque}`,
		},
		"an empty one, too": {
			converted("ConfigMap", "Secret"),
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {}}`,
			`{apiVersion: v1, kind: Secret, metadata: {name: a}, type: Opaque}`,
		},
		"keys of a Secret become a ConfigMap": {
			converted("Secret", "ConfigMap", "k", "b"),
			`{apiVersion: v1, kind: Secret, metadata: {name: a, labels: {team: core}, annotations: {note: gone}}, data: {k: w7w=, e: "", b: /w==}, stringData: {x: gone}, immutable: false, type: kubernetes.io/tls}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {team: core}, annotations: {projection.sh/published-keys: "b,k"}}, data: {k: ü, e: ""}, binaryData: {b: /w==}, immutable: false}`,
		},
		"values that are none are for the API server to refuse": {
			converted("Secret", "ConfigMap", "a"),
			`{apiVersion: v1, kind: Secret, data: {a: "%", b: 7}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {annotations: {projection.sh/published-keys: a}}, binaryData: {a: "%", b: 7}}`,
		},
		"the same kind": {
			converted("Secret", "Secret"),
			`{apiVersion: v1, kind: Secret, data: {a: AA==}, type: kubernetes.io/tls}`,
			`{apiVersion: v1, kind: Secret, data: {a: AA==}, type: kubernetes.io/tls}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, content(t, test.after), apply(t, mutations.ConvertKind, test.in, content(t, test.before)))
		})
	}
}

func TestConvertedBackAndForthHasTheSameBytes(t *testing.T) {
	const original = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {text: "a\nü\0", empty: ""}, binaryData: {bytes: //79AA==}, immutable: true}`
	asSecret := apply(t, mutations.ConvertKind, converted("ConfigMap", "Secret"), content(t, original))
	back := apply(t, mutations.ConvertKind, converted("Secret", "ConfigMap", "text", "empty", "bytes"), asSecret)
	uns.RemoveNestedField(back, "metadata", "annotations")
	assert.Equal(t, content(t, original), back)
}

func TestKindsThatCannotBeConverted(t *testing.T) {
	other := kind("example.com", "Secret")
	other.CopyKind = "Secret"
	for message, in := range map[string]mutations.Input{
		"a Deployment cannot be copied as a Secret":                                   converted("Deployment", "Secret"),
		"a Secret.example.com cannot be copied as a Secret":                           other,
		"a ConfigMap cannot be copied as a Deployment":                                converted("ConfigMap", "Deployment"),
		"a Secret is copied as a ConfigMap only with keys that are named one by one":  converted("Secret", "ConfigMap"),
		"convert-kind: a Secret is copied as a ConfigMap only with keys that are nam": converted("Secret", "ConfigMap", "a", "b*"),
	} {
		_, err := tryApply(t, mutations.ConvertKind, in, content(t, `{data: {a: AA==}}`))
		var refused *mutations.InputError
		require.ErrorAs(t, err, &refused)
		assert.Contains(t, err.Error(), message)
	}
}

func TestConvertedCopyNamesItsSourceAndIsReplacedAsItsOwnKind(t *testing.T) {
	in := converted("ConfigMap", "Secret")
	in.Stamp, in.SourceUID = byProjection, "u-1"
	in.Source.Namespace, in.Source.Name = "home", "settings"
	copied := mustRender(t, in, &uns.Unstructured{Object: content(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {k: v}}`)})
	assert.Equal(t, "Secret", copied.GetKind())
	assert.Equal(t, "ConfigMap/home/settings", copied.GetAnnotations()[v1.AnnotationSource])
	assert.Equal(t, "u-1", copied.GetAnnotations()[v1.AnnotationSourceUID], "the type of a Secret can be set only once")

	in = converted("Secret", "ConfigMap", "k")
	in.Stamp, in.SourceUID = byProjection, "u-1"
	copied = mustRender(t, in, &uns.Unstructured{Object: content(t, `{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}, data: {k: dg==, l: dw==}}`)})
	assert.Equal(t, map[string]any{"k": "v"}, copied.Object["data"])
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationSourceUID, "a ConfigMap can be changed in place")
}
