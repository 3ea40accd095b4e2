package watch

import (
	"errors"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/components/panics"
)

// errPanic says that a store has a bug. It does not quote the panic, which may hold a value of the object.
var errPanic = errors.New("the operator panicked while it took an event of a watch")

// observedStore notes in the stream when the first list has arrived. A panic of the store loses the event that caused it, and
// does not end the process.
type observedStore struct {
	cache.ReflectorStore
	stream *Stream
}

func (o observedStore) Add(object any) error {
	return catchPanic(func() error { return o.ReflectorStore.Add(object) })
}

func (o observedStore) Update(object any) error {
	return catchPanic(func() error { return o.ReflectorStore.Update(object) })
}

func (o observedStore) Delete(object any) error {
	return catchPanic(func() error { return o.ReflectorStore.Delete(object) })
}

func (o observedStore) Replace(objects []any, resourceVersion string) error {
	err := catchPanic(func() error { return o.ReflectorStore.Replace(objects, resourceVersion) })
	o.stream.note(err == nil, err)
	return err
}

func catchPanic(do func() error) error {
	return panics.Catch(do, func(p panics.Panic) error {
		p.Log(log.Log, errPanic)
		return errPanic
	})
}
