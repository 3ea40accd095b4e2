package source

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func keyOf(name string) objectKey {
	return objectKey{at: types.NamespacedName{Namespace: "here", Name: name}}
}

func secretOf(version, text string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"key": text}}}
	object.SetResourceVersion(version)
	return object
}

func TestContentIsKeptForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept keptObjects
		kept.add(keyOf("a"), secretOf("1", "old"))
		<-time.After(keptFor - time.Second)
		kept.add(keyOf("a"), secretOf("2", "new"))
		assert.Nil(t, kept.get(keyOf("a"), "1"), "the version that was read last")
		assert.NotNil(t, kept.get(keyOf("a"), "2"))
		assert.Nil(t, kept.get(keyOf("a"), ""))
		assert.Nil(t, kept.get(keyOf("b"), "2"))
		<-time.After(keptFor - time.Millisecond)
		assert.NotNil(t, kept.get(keyOf("a"), "2"), "since it was read")
		<-time.After(time.Millisecond)
		synctest.Wait()
		assert.Nil(t, kept.get(keyOf("a"), "2"))
		assert.Empty(t, kept.objects)
		assert.Zero(t, kept.size)
	})
}

func TestKeptContentIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept keptObjects
		large := strings.Repeat("x", 1<<20)
		for i := range 20 {
			kept.add(keyOf(strconv.Itoa(i)), secretOf("1", large))
			assert.LessOrEqual(t, kept.size, maxKept)
		}
		assert.Len(t, kept.objects, 7, "of little more than a MiB each")
		kept.add(keyOf("0"), secretOf("2", "small"))
		kept.add(keyOf("small"), secretOf("1", "small"))
		assert.NotNil(t, kept.get(keyOf("small"), "1"))
		<-time.After(keptFor)
		synctest.Wait()
		assert.Zero(t, kept.size)
	})
}

func TestSizeOfContent(t *testing.T) {
	content := map[string]any{"data": map[string]any{"key": "0123456789"}, "list": []any{"0123456789", int64(1), true, nil}}
	assert.Greater(t, sizeOf(content), len(`{"data":{"key":"0123456789"},"list":["0123456789",1,true,null]}`))
}
