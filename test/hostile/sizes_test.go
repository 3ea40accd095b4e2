package hostile_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

const shape = `{apiVersion: hostile.example.com/v1, kind: Shape, metadata: {name: shape, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`

// createWith creates a source of the manifest with one more field.
func (w *world) createWith(manifest, field string, value any) *unstructured.Unstructured {
	w.T.Helper()
	object := w.Object(manifest)
	require.NoError(w.T, unstructured.SetNestedField(object.Object, value, field))
	require.NoError(w.T, w.Client.Create(w.T.Context(), object))
	return object
}

// manyKeys returns as many entries.
func manyKeys(count, length int) map[string]any {
	entries := make(map[string]any, count)
	for i := range count {
		entries[fmt.Sprintf("key-%06d", i)] = strings.Repeat("v", length)
	}
	return entries
}

// nested returns maps and lists in one another.
func nested(depth int) any {
	var value any = "the innermost"
	for i := range depth {
		if value = any(map[string]any{"a": value}); i%2 == 0 {
			value = []any{value}
		}
	}
	return value
}

// noise returns bytes that are no text.
func noise(length int) string {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, length)
	for i := range content {
		content[i] = byte(random.UintN(256))
	}
	return base64.StdEncoding.EncodeToString(content)
}

func TestSourcesOfAnySizeAndShapeAreCopiedWhole(t *testing.T) {
	const mebibyte = 1 << 20
	bare := strings.ReplaceAll(configMap, "data: {color: red}", "")
	tests := map[string]struct {
		manifest, field string
		value           any
	}{
		"a mebibyte in one value":       {bare, "data", map[string]any{"key": strings.Repeat("v", mebibyte-3)}},
		"a mebibyte that is no text":    {bare, "binaryData", map[string]any{"key": noise(mebibyte - 3)}},
		"ten thousand keys":             {bare, "data", manyKeys(10_000, 80)},
		"a thousand levels":             {shape, "spec", map[string]any{"deep": nested(1000)}},
		"a mebibyte of a custom kind":   {shape, "spec", map[string]any{"long": strings.Repeat("v", mebibyte)}},
		"a list of ten thousand things": {shape, "spec", map[string]any{"list": manyThings(10_000)}},
		"characters of all kinds":       {bare, "data", map[string]any{"key": "\u0000\u0001\u2028\u202e\ufeff\ufffd\U0001f600 \"'\\</script>\r\n"}},
		"keys that mean something":      {shape, "spec", map[string]any{"__proto__": "a", "$ref": "b", "": "c", "a.b/c~d[0]": "d", "null": "e", "k:{\"name\":\"x\"}": "f"}},
		"numbers at the edge":           {shape, "spec", map[string]any{"large": int64(9007199254740993), "small": int64(-9223372036854775808), "real": 1.5e-300}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.createWith(test.manifest, test.field, test.value)
			w.Ready(w.project(source))
			copied := w.becomes(source, fixture.Anything)
			want, err := json.Marshal(w.read(source, w.Home, source.GetName()).Object[test.field])
			require.NoError(t, err)
			got, err := json.Marshal(copied.Object[test.field])
			require.NoError(t, err)
			assert.True(t, bytes.Equal(want, got), "of %d bytes, %d were copied, or others", len(want), len(got))
			w.settles()
		})
	}
}

func manyThings(count int) []any {
	things := make([]any, count)
	for i := range things {
		things[i] = map[string]any{"name": strconv.Itoa(i), "same": "same"}
	}
	return things
}

func TestSourceAtTheLimitForAnnotationsLeavesNoRoomForOurMarks(t *testing.T) {
	const limit = 256 << 10
	w := newWorld(t)
	source := w.Object(configMap)
	used := len(v1.AnnotationProjectable) + len(v1.ProjectableTrue) + len("full")
	source.SetAnnotations(map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue, "full": strings.Repeat("x", limit-used)})
	require.NoError(t, w.Client.Create(t.Context(), source))
	rule := w.project(source)
	assert.Equal(t, "ConfigMap "+w.Away+"/settings: the copy cannot be created; correct the source or this rule "+
		"(the object is invalid: metadata.annotations (FieldValueTooLong))", w.says(rule, v1.ReasonDestinationCreateFailed))

	w.Merge(source, `{"metadata":{"annotations":{"full":"no more"}}}`)
	w.Ready(rule)
}

func TestNamesAsLongAsTheyMayBe(t *testing.T) {
	long := func(letter string) string { return strings.Repeat(letter+".", 126) + letter }
	w := newWorld(t)
	source := w.Object(configMap)
	source.SetName(long("s"))
	require.NoError(t, w.Client.Create(t.Context(), source))
	first := w.project(source, func(rule *v1.Projection) {
		rule.GenerateName, rule.Name = "", long("r")
		rule.Spec.Destination.Name = long("d")
		rule.Spec.Overlay.Labels = map[string]string{"example.com/" + strings.Repeat("k", 63): strings.Repeat("v", 63)}
	})
	w.Ready(first)
	copied := w.read(source, w.Away, long("d"))
	require.NotNil(t, copied)
	assert.Equal(t, w.Away+"/"+long("r"), copied.GetAnnotations()[v1.AnnotationOwnedByProjection])
	for _, writer := range copied.GetManagedFields() {
		assert.LessOrEqual(t, len(writer.Manager), 128)
	}
	require.Eventually(t, func() bool {
		var events eventsv1.EventList
		require.NoError(t, w.Client.List(t.Context(), &events, client.InNamespace(w.Away)))
		return len(events.Items) > 0 && events.Items[0].Regarding.Name == long("r")
	}, env.Timeout, env.Interval, "people hear of it")

	neighbour := w.project(source, func(rule *v1.Projection) { // its field manager begins alike
		rule.GenerateName, rule.Name = "", strings.Repeat("r.", 125)+"r.x"
	})
	w.Ready(neighbour)
	w.Delete(neighbour)
	w.Gone(neighbour)
	w.settles()
	w.unchanged(copied)
}
