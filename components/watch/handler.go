package watch

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// EventHandler takes what a Stream lists and watches.
type EventHandler interface {
	// Event takes an object that was added or changed, or deleted: it is gone, or no longer selected.
	Event(object metav1.Object, deleted bool)
	// Replace takes the list with which a Stream begins, or begins anew. A Stream from now on lists nothing.
	Replace(objects []metav1.Object, resourceVersion string)
}

// Store returns a store for a Stream that keeps nothing, and passes everything to the handler.
func Store(handler EventHandler) cache.ReflectorStore { return handlerStore{handler} }

type handlerStore struct{ handler EventHandler }

func (s handlerStore) Add(object any) error    { return s.event(object, false) }
func (s handlerStore) Update(object any) error { return s.event(object, false) }
func (s handlerStore) Delete(object any) error { return s.event(object, true) }
func (s handlerStore) Resync() error           { return nil }

func (s handlerStore) event(object any, deleted bool) error {
	metadata, err := metadataOf(object)
	if err == nil {
		s.handler.Event(metadata, deleted)
	}
	return err
}

func (s handlerStore) Replace(listed []any, resourceVersion string) error {
	objects := make([]metav1.Object, len(listed))
	for i, object := range listed {
		var err error
		if objects[i], err = metadataOf(object); err != nil {
			return err
		}
	}
	s.handler.Replace(objects, resourceVersion)
	return nil
}

func metadataOf(object any) (metav1.Object, error) {
	if metadata, ok := object.(metav1.Object); ok {
		return metadata, nil
	}
	return nil, fmt.Errorf("the API server sent a %T, which has no metadata", object)
}
