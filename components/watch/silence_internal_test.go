package watch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// endless is longer than any watch is listened to here. The clock of these tests goes as fast as they can.
const endless = 1000 * silence

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
			[]sent{{time.Second, bookmark}}, silence,
		},
		"bookmarks, and no more": {
			[]sent{{time.Minute, bookmark}, {time.Minute, bookmark}, {silence - time.Second, bookmark}}, silence,
		},
		"a bookmark and an event, and no more": {
			[]sent{{time.Minute, bookmark}, {time.Minute, added}}, silence,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := watch.NewRaceFreeFake()
				outer := attend(inner)
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

func TestWatchThatIsListenedToIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := watch.NewRaceFreeFake()
		outer := attend(inner)
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
		outer := attend(inner)
		inner.Stop()
		_, open := <-outer.ResultChan()
		assert.False(t, open)
	})
}
