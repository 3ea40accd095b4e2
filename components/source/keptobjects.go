package source

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
)

const (
	// keptFor is how long the content of a source is kept after it was read. It may be a Secret.
	keptFor = 5 * time.Second
	// maxKept is how many bytes of content are kept. What does not fit is not kept.
	maxKept = 8 << 20
)

// objectKey names an object of one version of the API, or its metadata.
type objectKey struct {
	resource schema.GroupVersionResource
	at       types.NamespacedName // not embedded: its String would be that of the key
	metadata bool
}

func keyOf(kind Kind, ref v1.SourceRef) objectKey {
	return objectKey{resource: kind.GroupVersionResource(), at: types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}}
}

// keptObjects are sources that were read a moment ago, each in the version that was read last. Nobody changes them. The zero value is
// empty.
type keptObjects struct {
	mu      sync.Mutex
	objects map[objectKey]*keptObject
	size    int
}

type keptObject struct {
	content *unstructured.Unstructured
	// readers are the users who have read this very version. What they have read is of no use to others, who may not be allowed to read it.
	readers map[impersonate.User]struct{}
	size    int
	expire  *time.Timer
}

// get returns the object if it is kept in exactly that version, and the user has read it.
func (k *keptObjects) get(key objectKey, user impersonate.User, resourceVersion string) *unstructured.Unstructured {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, found := k.objects[key]
	if !found || kept.content.GetResourceVersion() != resourceVersion {
		return nil
	}
	if _, read := kept.readers[user]; !read {
		return nil
	}
	return kept.content
}

// add keeps the object, which the user has read, in the place of another version of it.
func (k *keptObjects) add(key objectKey, user impersonate.User, object *unstructured.Unstructured) {
	added := &keptObject{content: object, readers: map[impersonate.User]struct{}{user: {}}, size: sizeOf(object.Object)}
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, found := k.objects[key]; found {
		if before.content.GetResourceVersion() == object.GetResourceVersion() && object.GetResourceVersion() != "" {
			before.readers[user] = struct{}{} // for as long as the first one
			return
		}
		before.expire.Stop()
		k.remove(key, before)
	}
	if k.size+added.size > maxKept {
		return
	}
	if k.objects == nil {
		k.objects = map[objectKey]*keptObject{}
	}
	k.objects[key] = added
	k.size += added.size
	added.expire = time.AfterFunc(keptFor, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.remove(key, added)
	})
}

// remove forgets the object, unless another one has taken its place.
func (k *keptObjects) remove(key objectKey, object *keptObject) {
	if k.objects[key] == object {
		delete(k.objects, key)
		k.size -= object.size
	}
}

// overhead is about how many bytes a value takes in memory besides the text in it.
const overhead = 48

// sizeOf returns about how many bytes the JSON value takes in memory.
func sizeOf(value any) int {
	size := overhead
	switch value := value.(type) {
	case string:
		size += len(value)
	case map[string]any:
		for key, entry := range value {
			size += len(key) + overhead + sizeOf(entry)
		}
	case []any:
		for _, entry := range value {
			size += sizeOf(entry)
		}
	}
	return size
}
