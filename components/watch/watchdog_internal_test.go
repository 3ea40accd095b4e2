package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// endless is longer than any watch is listened to here. The clock of these tests goes as fast as they can.
const endless = 1000 * idleTimeout

var (
	bookmark = watch.Event{Type: watch.Bookmark, Object: &metav1.PartialObjectMetadata{}}
	added    = watch.Event{Type: watch.Added, Object: &metav1.PartialObjectMetadata{}}
)

func TestSilentWatchEnds(t *testing.T) {
	type sent struct {
		wait  time.Duration
		event watch.Event
	}
	tests := map[string]struct {
		sent []sent
		ends time.Duration // after the last event
	}{
		"nothing was ever heard": {nil, endless},
		"no bookmark was heard":  {[]sent{{time.Second, added}}, endless},
		"a bookmark, and no more": {
			[]sent{{time.Second, bookmark}}, idleTimeout,
		},
		"bookmarks, and no more": {
			[]sent{{time.Minute, bookmark}, {time.Minute, bookmark}, {idleTimeout - time.Second, bookmark}}, idleTimeout,
		},
		"a bookmark and an event, and no more": {
			[]sent{{time.Minute, bookmark}, {time.Minute, added}}, idleTimeout,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := watch.NewRaceFreeFake()
				outer := (&watchdog{}).guard(inner, recorder{}, func() {})
				defer outer.Stop()
				for _, sent := range test.sent {
					<-time.After(sent.wait)
					inner.Action(sent.event.Type, sent.event.Object)
					assert.Equal(t, sent.event, <-outer.ResultChan())
				}
				began := time.Now()
				select {
				case _, open := <-outer.ResultChan():
					assert.False(t, open)
					assert.True(t, inner.IsStopped())
				case <-time.After(endless):
				}
				assert.Equal(t, test.ends, time.Since(began))
			})
		})
	}
}

// TestSilenceOfALaterWatchIsHeardFromItsBeginning has heard bookmarks of a watch before.
func TestSilenceOfALaterWatchIsHeardFromItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &watchdog{}
		inner := watch.NewRaceFreeFake()
		first := e.guard(inner, recorder{}, func() {})
		inner.Action(bookmark.Type, bookmark.Object)
		<-first.ResultChan()
		first.Stop()

		began := time.Now()
		second := e.guard(watch.NewRaceFreeFake(), recorder{}, func() {})
		_, open := <-second.ResultChan()
		assert.False(t, open)
		assert.Equal(t, idleTimeout, time.Since(began))
	})
}

func TestWatchThatDoesNotOpenIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := (&watchdog{}).open(t.Context(), metav1.ListOptions{}, func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		assert.True(t, apierrors.IsTooManyRequests(err), "the reflector goes on where it was: %v", err)
	})
}

func TestWatchThatOpensTooLateIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inner := watch.NewRaceFreeFake()
	_, err := (&watchdog{}).open(ctx, metav1.ListOptions{}, func(context.Context, metav1.ListOptions) (watch.Interface, error) {
		cancel()
		return inner, nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.True(t, inner.IsStopped())
}

func TestWatchOutlivesTheTimeToOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var over <-chan struct{}
		outer, err := (&watchdog{}).open(t.Context(), metav1.ListOptions{}, func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
			over = ctx.Done()
			return watch.NewRaceFreeFake(), nil
		})
		require.NoError(t, err)
		select {
		case <-over:
			require.Fail(t, "it ends")
		case <-time.After(2 * openTimeout):
		}
		outer.Stop()
		<-over // nothing of it is left
	})
}

func TestWatchThatIsListenedToIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := watch.NewRaceFreeFake()
		outer := (&watchdog{}).guard(inner, recorder{}, func() {})
		inner.Action(added.Type, added.Object) // nobody takes it
		synctest.Wait()
		outer.Stop()
		outer.Stop()
		synctest.Wait()
		_, open := <-outer.ResultChan()
		assert.False(t, open)
		assert.True(t, inner.IsStopped())
	})
}

func TestEndOfAWatchIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := watch.NewRaceFreeFake()
		outer := (&watchdog{}).guard(inner, recorder{}, func() {})
		inner.Stop()
		_, open := <-outer.ResultChan()
		assert.False(t, open)
	})
}
