package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
)

// Objects watches the metadata of all objects of a kind for as long as a rule holds the kind. It passes the events on, and keeps
// no object. Sources and Blockers share it, so that a kind has one watch.
type Objects struct {
	pool     *Pool[holder, *kindWatch]
	witness  Witness
	handlers []objectHandler
}

// holder is a rule that holds a kind, and what for.
type holder struct {
	rule RuleKey
	role role
}

type role string

const (
	forSource   role = "source"
	forBlockers role = "blockers"
)

// objectHandler takes events. It must not block.
type objectHandler interface {
	// changed takes an event of an object.
	changed(kind schema.GroupVersionResource, object metav1.Object, deleted bool)
	// restarted says that events of the kind may have been missed.
	restarted(kind schema.GroupVersionResource)
}

// NewObjects returns watches that end with the context.
func NewObjects(ctx context.Context, client metadata.Interface) *Objects {
	o := &Objects{}
	o.pool = NewPool[holder](func(kind schema.GroupVersionResource) *kindWatch {
		w := &kindWatch{handlers: o.handlers, kind: kind}
		w.Stream = Open(ctx, "sources of "+kind.String(), FromNow(client.Resource(kind)).Of(kind).Witnessed(o.witness), Store(w))
		return w
	})
	return o
}

// NewWitnessedObjects returns watches of a cluster that can be cut off.
func NewWitnessedObjects(ctx context.Context, client metadata.Interface, witness Witness) *Objects {
	o := NewObjects(ctx, client)
	o.witness = witness
	return o
}

// Watches returns how many kinds are watched, and how many of those watches fail at the moment.
func (o *Objects) Watches() (open, failing int) { return o.pool.Count((*kindWatch).Failure) }

// handle passes the events of all kinds that are watched from now on to the handler, too.
func (o *Objects) handle(handler objectHandler) { o.handlers = append(o.handlers, handler) }

// kindWatch passes the events of one kind on, and keeps nothing.
type kindWatch struct {
	*Stream
	handlers []objectHandler
	kind     schema.GroupVersionResource
	started  bool // used by the reflector's goroutine only
}

// Replace implements EventHandler. It is called when the watch begins, and when it had to begin anew.
func (w *kindWatch) Replace([]metav1.Object, string) {
	if w.started {
		for _, handler := range w.handlers {
			handler.restarted(w.kind)
		}
	}
	w.started = true
}

// Event implements EventHandler.
func (w *kindWatch) Event(object metav1.Object, deleted bool) {
	for _, handler := range w.handlers {
		handler.changed(w.kind, object, deleted)
	}
}
