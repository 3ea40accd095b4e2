package watch

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// kindWatch passes the events of one kind on, and keeps nothing.
type kindWatch struct {
	*Stream
	sources *Sources
	kind    schema.GroupVersionResource
	started bool // used by the reflector's goroutine only
}

var _ cache.ReflectorStore = (*kindWatch)(nil)

func (w *kindWatch) Add(object any) error    { return w.event(object, false) }
func (w *kindWatch) Update(object any) error { return w.event(object, false) }
func (w *kindWatch) Delete(object any) error { return w.event(object, true) }
func (w *kindWatch) Resync() error           { return nil }

// Replace is called when the watch begins, and when it had to begin anew.
func (w *kindWatch) Replace([]any, string) error {
	if w.started {
		w.sources.restarted(w.kind)
	}
	w.started = true
	return nil
}

func (w *kindWatch) event(object any, deleted bool) error {
	metadata, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("the watch on %s sent a %T", w.kind, object)
	}
	w.sources.changed(w.kind, metadata, deleted)
	return nil
}
