package watch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// minWatchTimeout is how long a watch without events stays open at least; at most it is twice as long. Informers re-open theirs
// every five to ten minutes, which are requests on a cluster where nothing happens.
const minWatchTimeout = time.Hour

// LongWatch returns the source with watches that stay open for as long as those of a Stream, and are guarded like those. It calls the
// function when a watch has ended, and when the API server gives no answer to a list or a watch, or says that it cannot.
func LongWatch(source cache.ListerWatcher, interrupted func()) cache.ListerWatcher {
	lists := cache.ToListerWatcherWithContext(source)
	ear := &watchdog{interrupted: interrupted}
	note := func(err error) {
		if err != nil && isUnreachable(err) {
			interrupted()
		}
	}
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			ear.listed()
			list, err := lists.ListWithContext(ctx, options)
			note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			timeout := minWatchTimeout + rand.N(minWatchTimeout) //nolint:gosec // spreads load, guards nothing
			options.TimeoutSeconds = new(int64(timeout.Seconds()))
			events, err := ear.open(ctx, options, lists.WatchWithContext)
			note(err)
			return events, err
		},
	}
}

// isUnreachable reports whether the error is no answer of the API server, or one that says that it cannot answer.
func isUnreachable(err error) bool {
	var answered apierrors.APIStatus
	return !errors.As(err, &answered) || answered.Status().Code >= http.StatusInternalServerError
}
