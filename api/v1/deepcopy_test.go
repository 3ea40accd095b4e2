package v1_test

import (
	"encoding/json"
	"iter"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	v1 "projection.sh/operator/api/v1"
)

// fuzzed are many random objects of every type that a client sends or gets, each with an empty one of its type.
func fuzzed(t *testing.T) iter.Seq2[runtime.Object, runtime.Object] {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1.AddToScheme(scheme))
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(1), serializer.NewCodecFactory(scheme))
	return func(yield func(runtime.Object, runtime.Object) bool) {
		for _, kind := range []string{"Projection", "ProjectionList", "ClusterProjection", "ClusterProjectionList"} {
			for range 100 {
				object, err := scheme.New(v1.GroupVersion.WithKind(kind))
				require.NoError(t, err)
				empty := object.DeepCopyObject()
				fill.Fill(object)
				if !yield(object, empty) {
					return
				}
			}
		}
	}
}

func TestDeepCopyIsEqualAndSharesNothing(t *testing.T) {
	for object := range fuzzed(t) {
		copied := object.DeepCopyObject()
		require.Equal(t, object, copied)
		requireNothingShared(t, reflect.ValueOf(object), reflect.ValueOf(copied), "")
	}
}

func TestJSONRoundTripKeepsEverything(t *testing.T) {
	for object, empty := range fuzzed(t) {
		text, err := json.Marshal(object)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, empty))
		require.True(t, apiequality.Semantic.DeepEqual(object, empty), "%s", text)
	}
}

func TestUnstructuredRoundTripKeepsEverything(t *testing.T) {
	for object, empty := range fuzzed(t) {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		require.NoError(t, err)
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(content, empty))
		require.True(t, apiequality.Semantic.DeepEqual(object, empty), "%v", content)
	}
}

func TestDeepCopyOfNilIsNil(t *testing.T) {
	var overlay *v1.Overlay
	assert.Nil(t, overlay.DeepCopy())
	var selector *v1.NamespaceSelector
	assert.Nil(t, selector.DeepCopy())
}

// requireNothingShared fails where two equal values have a map, slice or pointer in common.
func requireNothingShared(t *testing.T, a, b reflect.Value, path string) {
	t.Helper()
	if a.Type() == reflect.TypeFor[time.Time]() {
		return // immutable; all times share their location
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || a.Kind() != reflect.Pointer && a.Len() == 0 {
			return
		}
		require.NotEqual(t, a.Pointer(), b.Pointer(), "the copy shares %s", path)
	default:
	}
	switch a.Kind() {
	case reflect.Pointer:
		requireNothingShared(t, a.Elem(), b.Elem(), path)
	case reflect.Slice:
		for i := range a.Len() {
			requireNothingShared(t, a.Index(i), b.Index(i), path+"[]")
		}
	case reflect.Map:
		for _, key := range a.MapKeys() {
			requireNothingShared(t, a.MapIndex(key), b.MapIndex(key), path+"{}")
		}
	case reflect.Struct:
		for i := range a.NumField() {
			requireNothingShared(t, a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)
		}
	default:
	}
}
