package watch

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/apierr"
)

// startTimeout is how long a reconcile waits for a watch to begin. The API server may take longer for a long list; a later reconcile
// waits for the same watch.
const startTimeout = 10 * time.Second

// Stream lists and watches into a store, with retries, until it is closed.
type Stream struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	started bool
	failure error
	change  chan struct{} // closed when started or failure changes
}

// Open starts a stream. The store's Replace is called each time the stream has to start over.
func Open(ctx context.Context, name string, source Source, store cache.ReflectorStore) *Stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &Stream{cancel: cancel, done: make(chan struct{}), change: make(chan struct{})}
	reflector := cache.NewReflectorWithOptions(
		s.observed(source), source.example(), observedStore{store, s},
		cache.ReflectorOptions{Name: name, TypeDescription: name, MinWatchTimeout: minWatchTimeout})
	go func() {
		defer close(s.done)
		reflector.RunWithContext(ctx)
	}()
	return s
}

// example is what the objects are.
func (s Source) example() runtime.Object {
	if s.whole {
		return &unstructured.Unstructured{}
	}
	return &metav1.PartialObjectMetadata{}
}

// Close ends the stream and waits until no event is passed to the store any more.
func (s *Stream) Close() {
	s.cancel()
	<-s.done
}

// WaitForStart returns when the store has the state from which the watch continues, or with the error of the last try. The stream goes
// on trying either way. A stream that has begun and breaks misses nothing: it resumes where it was, or lists again and replaces the
// content of the store.
func (s *Stream) WaitForStart(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		s.mu.Lock()
		started, failure, change := s.started, s.failure, s.change
		s.mu.Unlock()
		if started {
			return nil
		}
		if failure != nil {
			return failure
		}
		select {
		case <-change:
		case <-ctx.Done():
			return fmt.Errorf("the watch has not begun: %w", ctx.Err())
		}
	}
}

// Failure returns the error of the last list or watch; nil if the stream is watching.
func (s *Stream) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

func (s *Stream) note(started bool, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = s.started || started
	s.failure = failure
	close(s.change)
	s.change = make(chan struct{})
}

// observed returns the source, and notes the result of each list and watch in the stream.
func (s *Stream) observed(source Source) cache.ListerWatcher {
	ear := &watchdog{resource: source.resource, witness: source.witness, away: func(err error) { s.note(false, err) }}
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := ear.list(ctx, func() (runtime.Object, error) { return source.List(ctx, options) })
			err = apierr.Redact(source.resource, err)
			if err != nil && ctx.Err() == nil {
				s.note(false, err)
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			events, err := ear.open(ctx, options, source.Watch)
			if fallsBack := options.SendInitialEvents != nil && apierrors.IsInvalid(err); ctx.Err() == nil && !fallsBack {
				s.note(false, err)
			}
			return events, err
		},
	}
	if source.listed {
		return withoutInitialEvents{lists}
	}
	return lists
}

// withoutInitialEvents keeps the reflector from asking for the present objects as watch events.
type withoutInitialEvents struct{ *cache.ListWatch }

func (withoutInitialEvents) IsWatchListSemanticsUnSupported() bool { return true }
