package watch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// fakeWitness is written when a test says so.
type fakeWitness struct {
	version  string
	chain    uint64
	confirms bool
	fails    error
	asked    int
	closed   chan struct{} // until then, the cluster is cut off; nil: it is not
}

func (f *fakeWitness) Latest() (string, uint64) { return f.version, f.chain }

func (f *fakeWitness) Await(ctx context.Context, away func(error)) error {
	if f.closed == nil {
		return ctx.Err()
	}
	away(errors.New("cut"))
	select {
	case <-f.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fakeWitness) Confirm(_ context.Context, chain uint64, _ time.Time) (bool, error) {
	f.asked++
	return f.confirms && chain == f.chain, f.fails
}

func eventOf(kind watch.EventType, name, version string) watch.Event {
	return watch.Event{Type: kind, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}}
}

// opened is a watch that was opened by a witnessed watchdog.
type opened struct {
	t       *testing.T
	dog     *watchdog
	inner   *watch.RaceFreeFakeWatcher
	outer   watch.Interface
	options metav1.ListOptions // those of the request
}

func (o *opened) open(options metav1.ListOptions) error {
	var err error
	o.outer, err = o.dog.open(o.t.Context(), options, func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
		o.inner, o.options = watch.NewRaceFreeFake(), options
		return o.inner, nil
	})
	return err
}

// send has the API server send events, and returns what is passed on.
func (o *opened) send(events ...watch.Event) []watch.Event {
	var passed []watch.Event
	for _, event := range events {
		o.inner.Action(event.Type, event.Object)
		synctest.Wait()
		select {
		case event := <-o.outer.ResultChan():
			passed = append(passed, event)
		default:
		}
		synctest.Wait()
	}
	return passed
}

// cut ends the watch, and lets so much time pass.
func (o *opened) cut(pause time.Duration) {
	o.inner.Stop()
	<-o.outer.ResultChan()
	<-time.After(pause)
}

func TestWitnessedWatchGoesOnAfterACut(t *testing.T) {
	later, last := eventOf(watch.Modified, "a", "1003"), eventOf(watch.Deleted, "b", "1005")
	another := eventOf(watch.Deleted, "c", "1005")
	news := eventOf(watch.Added, "d", "1010")
	mark := func(version string) watch.Event { return eventOf(watch.Bookmark, "", version) }
	tests := map[string]struct {
		base   string // of the list
		seen   []watch.Event
		change func(*fakeWitness)
		from   string // the version of the second watch
		again  []watch.Event
		passed []watch.Event // nil: the reflector lists again
		pause  time.Duration
	}{
		"nothing was seen since":      {base: "980", seen: []watch.Event{mark("1001")}, from: "990", again: []watch.Event{news}, passed: []watch.Event{news}},
		"all is sent again":           {base: "980", seen: []watch.Event{later, last}, from: "990", again: []watch.Event{later, last, news}, passed: []watch.Event{news}},
		"a part was undone":           {base: "980", seen: []watch.Event{later, last}, from: "990", again: []watch.Event{later, news}},
		"another was changed instead": {base: "980", seen: []watch.Event{later, last}, from: "990", again: []watch.Event{later, another}},
		"all was undone":              {base: "980", seen: []watch.Event{later, last}, from: "990", again: []watch.Event{mark("1005")}},
		"the API server is behind":    {base: "980", seen: []watch.Event{last}, from: "990", again: []watch.Event{mark("1004"), last, news}, passed: []watch.Event{news}},
		"nothing is sent":             {base: "980", seen: []watch.Event{last}, from: "990", pause: replayTimeout},
		"listed since":                {base: "991", seen: []watch.Event{mark("1001")}, from: "1005"},
		"not confirmed": {
			base: "980", seen: []watch.Event{mark("1001")}, change: func(w *fakeWitness) { w.confirms = false }, from: "990",
		},
		"nobody knows":     {base: "980", seen: []watch.Event{mark("1001")}, change: func(w *fakeWitness) { w.fails = errors.New("no") }, from: "990"},
		"another chain":    {base: "980", seen: []watch.Event{mark("1001")}, change: func(w *fakeWitness) { w.chain++ }, from: "990"},
		"written again":    {base: "980", seen: []watch.Event{mark("1001")}, change: func(w *fakeWitness) { w.version = "1100" }, from: "990", again: []watch.Event{news}, passed: []watch.Event{news}},
		"without a lease":  {base: "980", seen: []watch.Event{mark("1001")}, change: func(w *fakeWitness) { w.chain++; w.version = "" }, from: "990"},
		"never had a list": {base: "", seen: []watch.Event{mark("1001")}, from: "1005"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				witness := &fakeWitness{version: "990", chain: 1, confirms: true}
				o := &opened{t: t, dog: &watchdog{witness: witness, away: func(error) {}}}
				require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: test.base}))
				assert.Equal(t, test.seen, o.send(test.seen...))
				assert.Zero(t, witness.asked)
				o.cut(2 * time.Minute)
				if test.change != nil {
					test.change(witness)
				}
				err := o.open(metav1.ListOptions{ResourceVersion: "1005"})
				assert.Equal(t, test.from, o.options.ResourceVersion)
				if err == nil {
					passed := o.send(test.again...)
					if test.pause > 0 {
						passed = append(passed, <-o.outer.ResultChan())
					}
					if test.passed != nil {
						assert.Equal(t, test.passed, passed)
						o.outer.Stop()
						return
					}
					require.Len(t, passed, 1)
					err = apierrors.FromObject(passed[0].Object)
				}
				assert.True(t, apierrors.IsResourceExpired(err), "the reflector lists again: %v", err)
				assert.Nil(t, test.passed)
				if o.outer != nil {
					o.outer.Stop()
				}
			})
		})
	}
}

// TestWatchThatBreaksBeforeAllWasSentAgainListsAgain has the witness be written again in a history that may be another one.
func TestWatchThatBreaksBeforeAllWasSentAgainListsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		witness := &fakeWitness{version: "990", chain: 1, confirms: true}
		o := &opened{t: t, dog: &watchdog{witness: witness, away: func(error) {}}}
		require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: "980"}))
		o.send(eventOf(watch.Modified, "a", "1003"))
		o.cut(time.Minute)
		require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: "1003"}))
		witness.version = "1100"
		o.cut(time.Minute)
		assert.True(t, apierrors.IsResourceExpired(o.open(metav1.ListOptions{ResourceVersion: "1003"})))

		o.dog.listed()
		require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: "1050"}))
		o.send(eventOf(watch.Bookmark, "", "1060"))
		o.cut(time.Minute)
		require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: "1060"}), "the list has ended the doubt")
		o.outer.Stop()
	})
}

// TestPresentObjectsAreNoHistory has the witness be older than objects that the watch sends because they are there.
func TestPresentObjectsAreNoHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		witness := &fakeWitness{version: "990", chain: 1, confirms: true}
		o := &opened{t: t, dog: &watchdog{witness: witness, away: func(error) {}}}
		require.NoError(t, o.open(metav1.ListOptions{SendInitialEvents: new(true)}))
		synced := eventOf(watch.Bookmark, "", "1005")
		synced.Object.(*metav1.PartialObjectMetadata).Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
		o.send(eventOf(watch.Added, "b", "1003"), eventOf(watch.Added, "a", "700"), synced)
		witness.version = "1006"
		o.send(eventOf(watch.Bookmark, "", "1008"))
		o.cut(time.Minute)
		require.NoError(t, o.open(metav1.ListOptions{ResourceVersion: "1008"}))
		assert.Equal(t, "1006", o.options.ResourceVersion)
		news := eventOf(watch.Added, "c", "1010")
		assert.Equal(t, []watch.Event{news}, o.send(news))
		o.outer.Stop()

		require.NoError(t, o.open(metav1.ListOptions{SendInitialEvents: new(true)}))
		for range maxTrace + 1 {
			o.send(eventOf(watch.Added, "a", "1500"))
		}
		synced.Object.(*metav1.PartialObjectMetadata).ResourceVersion = "2000"
		o.send(synced)
		witness.version = "1600"
		o.send(eventOf(watch.Bookmark, "", "2010"))
		o.cut(time.Minute)
		assert.True(t, apierrors.IsResourceExpired(o.open(metav1.ListOptions{ResourceVersion: "2010"})), "the witness is older than all that there is")
	})
}

func TestTraceIsBounded(t *testing.T) {
	var seen trace
	seen.begin("1")
	seen.receive("1", 1)
	for range maxTrace + 1 {
		seen.add(eventOf(watch.Modified, "a", "7"))
	}
	assert.Len(t, seen.seen, maxTrace)
	_, possible := seen.proof()
	assert.False(t, possible, "the first event is forgotten")
	seen.receive("7", 1)
	assert.Empty(t, seen.seen)
	_, possible = seen.proof()
	assert.True(t, possible)
}

func TestListWaitsUntilTheClusterIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := make(chan struct{})
		witness := &fakeWitness{closed: cut}
		var said []error
		dog := &watchdog{witness: witness, away: func(err error) { said = append(said, err) }}
		lists := 0
		list := func() (runtime.Object, error) {
			lists++
			if lists == 1 {
				witness.closed = make(chan struct{})
				time.AfterFunc(time.Hour, func() { close(witness.closed) })
				return nil, errors.New("cut off while it lists")
			}
			return &metav1.PartialObjectMetadataList{}, nil
		}
		time.AfterFunc(time.Hour, func() { close(cut) })
		began := time.Now()
		answer, err := dog.list(t.Context(), list)
		require.NoError(t, err)
		assert.NotNil(t, answer)
		assert.Equal(t, 2, lists)
		assert.Equal(t, 2*time.Hour, time.Since(began))
		assert.Len(t, said, 2)

		witness.closed, lists = nil, 2
		refusal := errors.New("no")
		_, err = dog.list(t.Context(), func() (runtime.Object, error) { lists++; return nil, refusal })
		require.ErrorIs(t, err, refusal, "the cluster has answered")
		assert.Equal(t, 3, lists)
	})
}
