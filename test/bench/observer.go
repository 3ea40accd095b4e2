package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// timeout is how long anything may take: longer than the three minutes for which the lease of a former manager is valid in a cluster that was dead when
// that manager ended.
const timeout = 5 * time.Minute

// sighting is a change of an object, and when a watch told it.
type sighting struct {
	at       time.Time
	change   watch.EventType
	resource schema.GroupVersionResource
	*metav1.PartialObjectMetadata
}

func (s sighting) place() types.NamespacedName {
	return types.NamespacedName{Namespace: s.Namespace, Name: s.Name}
}

// observer sees every change of some kinds, in the order of each kind. So the time between two sightings is that between
// two changes, and no polling blurs it.
type observer struct {
	sightings chan sighting
	close     context.CancelFunc
	opened    atomic.Int32 // watches, beyond one for each kind
}

func observe(ctx context.Context, client metadata.Interface, resources ...schema.GroupVersionResource) (*observer, error) {
	ctx, cancel := context.WithCancel(ctx)
	o := &observer{sightings: make(chan sighting, 200_000), close: cancel}
	for _, resource := range resources {
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource, err)
		}
		// An API server that is short of CPU ends watches that do not keep up. They go on where they were.
		events, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				o.opened.Add(1)
				return client.Resource(resource).Watch(ctx, options)
			},
		})
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", resource, err)
		}
		o.opened.Add(-1)
		go o.follow(resource, events)
	}
	return o, nil
}

func (o *observer) follow(resource schema.GroupVersionResource, events watch.Interface) {
	for event := range events.ResultChan() {
		if object, ok := event.Object.(*metav1.PartialObjectMetadata); ok {
			object.ManagedFields = nil
			o.sightings <- sighting{at: time.Now(), change: event.Type, resource: resource, PartialObjectMetadata: object}
		}
	}
}

// noteIn notes a change in a simulated cluster, whose name is put before that of the namespace.
func (o *observer) noteIn(cluster string, change watch.EventType, object metav1.Object) {
	o.sightings <- sighting{at: time.Now(), change: change, PartialObjectMetadata: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: cluster + "/" + object.GetNamespace(), Name: object.GetName(),
		Labels: object.GetLabels(), Annotations: object.GetAnnotations(),
	}}}
}

// forget passes over what has been seen so far.
func (o *observer) forget() {
	for {
		select {
		case <-o.sightings:
		default:
			return
		}
	}
}

// await returns when n objects were seen as the function wants them, in order. An object that changes twice in the same
// way counts once.
func (o *observer) await(ctx context.Context, n int, holds func(sighting) bool) ([]time.Time, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errors.New("the observer has waited too long"))
	defer cancel()
	type event struct {
		resource schema.GroupVersionResource
		at       types.NamespacedName
		change   watch.EventType
	}
	seen := make(map[event]struct{}, n)
	times := make([]time.Time, 0, n)
	for len(times) < n {
		select {
		case <-ctx.Done():
			return times, fmt.Errorf("%w: %d of %d objects were seen", context.Cause(ctx), len(times), n)
		case s := <-o.sightings:
			if !holds(s) {
				continue
			}
			what := event{s.resource, s.place(), s.change}
			if _, again := seen[what]; !again {
				seen[what] = struct{}{}
				times = append(times, s.at)
			}
		}
	}
	// The kinds' watches do not wait for each other.
	slices.SortFunc(times, time.Time.Compare)
	return times, nil
}
