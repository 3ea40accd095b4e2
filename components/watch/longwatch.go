package watch

import (
	"context"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// minWatchTimeout is how long a watch without events stays open at least; at most it is twice as long. Informers re-open theirs
// every five to ten minutes, which are requests on a cluster where nothing happens.
const minWatchTimeout = time.Hour

// LongWatch returns the source with watches that stay open for as long as those of a Stream, and are guarded like those.
func LongWatch(source cache.ListerWatcher) cache.ListerWatcher {
	lists := cache.ToListerWatcherWithContext(source)
	ear := &watchdog{}
	return &cache.ListWatch{
		ListWithContextFunc: lists.ListWithContext,
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			timeout := minWatchTimeout + rand.N(minWatchTimeout) //nolint:gosec // spreads load, guards nothing
			options.TimeoutSeconds = new(int64(timeout.Seconds()))
			return ear.open(ctx, options, lists.WatchWithContext)
		},
	}
}
