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

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
)

func keyNamed(name string) objectKey {
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
		kept.add(keyNamed("a"), impersonate.Operator(), secretOf("1", "old"))
		<-time.After(keptFor - time.Second)
		kept.add(keyNamed("a"), impersonate.Operator(), secretOf("2", "new"))
		assert.Nil(t, kept.get(keyNamed("a"), impersonate.Operator(), "1"), "the version that was read last")
		assert.NotNil(t, kept.get(keyNamed("a"), impersonate.Operator(), "2"))
		assert.Nil(t, kept.get(keyNamed("a"), impersonate.Operator(), ""))
		assert.Nil(t, kept.get(keyNamed("b"), impersonate.Operator(), "2"))
		<-time.After(keptFor - time.Millisecond)
		assert.NotNil(t, kept.get(keyNamed("a"), impersonate.Operator(), "2"), "since it was read")
		<-time.After(time.Millisecond)
		synctest.Wait()
		assert.Nil(t, kept.get(keyNamed("a"), impersonate.Operator(), "2"))
		assert.Empty(t, kept.objects)
		assert.Zero(t, kept.size)
	})
}

func TestKeptContentIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept keptObjects
		large := strings.Repeat("x", 1<<20)
		for i := range 20 {
			kept.add(keyNamed(strconv.Itoa(i)), impersonate.Operator(), secretOf("1", large))
			assert.LessOrEqual(t, kept.size, maxKept)
		}
		assert.Len(t, kept.objects, 7, "of little more than a MiB each")
		kept.add(keyNamed("0"), impersonate.Operator(), secretOf("2", "small"))
		kept.add(keyNamed("small"), impersonate.Operator(), secretOf("1", "small"))
		assert.NotNil(t, kept.get(keyNamed("small"), impersonate.Operator(), "1"))
		<-time.After(keptFor)
		synctest.Wait()
		assert.Zero(t, kept.size)
	})
}

// TestContentIsKeptForThoseWhoHaveReadIt has a second user read what is kept, which takes no more memory and is not kept for longer.
func TestContentIsKeptForThoseWhoHaveReadIt(t *testing.T) {
	tenant := impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "tenant", Name: "writer"})
	other := impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "other", Name: "writer"})
	synctest.Test(t, func(t *testing.T) {
		var kept keptObjects
		kept.add(keyNamed("a"), tenant, secretOf("1", "old"))
		size := kept.size
		assert.Nil(t, kept.get(keyNamed("a"), other, "1"))
		<-time.After(keptFor - time.Second)
		kept.add(keyNamed("a"), other, secretOf("1", "old"))
		assert.Equal(t, size, kept.size)
		assert.NotNil(t, kept.get(keyNamed("a"), tenant, "1"))
		assert.NotNil(t, kept.get(keyNamed("a"), other, "1"))
		<-time.After(time.Second)
		synctest.Wait()
		assert.Nil(t, kept.get(keyNamed("a"), tenant, "1"))
		kept.add(keyNamed("a"), tenant, secretOf("1", "old"))
		kept.add(keyNamed("a"), other, secretOf("2", "new"))
		assert.Nil(t, kept.get(keyNamed("a"), tenant, "2"))
		metadata := keyNamed("a")
		metadata.metadata = true
		assert.Nil(t, kept.get(metadata, other, "2"), "it is no metadata")
	})
}

func TestSizeOfContent(t *testing.T) {
	content := map[string]any{"data": map[string]any{"key": "0123456789"}, "list": []any{"0123456789", int64(1), true, nil}}
	assert.Greater(t, sizeOf(content), len(`{"data":{"key":"0123456789"},"list":["0123456789",1,true,null]}`))
}
