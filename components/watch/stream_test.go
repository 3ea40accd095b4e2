package watch_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/watch"
)

// diary is a store that notes the events of the objects in one namespace.
type diary struct {
	namespace string
	refuse    error

	mu      sync.Mutex
	entries []string
}

func (d *diary) Add(object any) error    { return d.note("add", object) }
func (d *diary) Update(object any) error { return d.note("update", object) }
func (d *diary) Delete(object any) error { return d.note("delete", object) }
func (d *diary) Resync() error           { return nil }

func (d *diary) Replace(objects []any, _ string) error {
	d.mu.Lock()
	d.entries = append(d.entries, "replace")
	d.mu.Unlock()
	for _, object := range objects {
		_ = d.note("listed", object)
	}
	return d.refuse
}

func (d *diary) note(what string, object any) error {
	metadata := object.(metav1.Object)
	d.mu.Lock()
	defer d.mu.Unlock()
	if metadata.GetNamespace() == d.namespace {
		d.entries = append(d.entries, what+" "+metadata.GetName())
	}
	return nil
}

func (d *diary) read() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.entries...)
}

func (d *diary) has(entry string) func() bool {
	return func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.entries) > 0 && d.entries[len(d.entries)-1] == entry
	}
}

func (f *field) open(source func(metadata.Getter) watch.Source) (*watch.Stream, *diary) {
	f.t.Helper()
	written := &diary{namespace: f.namespace}
	stream := watch.Open(f.t.Context(), "test", source(f.metadata(cluster.Config).Resource(configMaps)), written)
	f.t.Cleanup(stream.Close)
	require.NoError(f.t, stream.WaitForStart(f.t.Context()))
	return stream, written
}

func labelled(client metadata.Getter) watch.Source { return watch.ByLabel(client, "mine") }

func TestWatchFromNowSkipsWhatThereIs(t *testing.T) {
	f := newField(t)
	f.create("before")
	_, written := f.open(watch.FromNow)
	f.create("after")
	require.Eventually(t, written.has("add after"), soon, tick)
	f.merge("before", `{"data":{"color":"red"}}`)
	require.Eventually(t, written.has("update before"), soon, tick)
	f.delete("before")
	require.Eventually(t, written.has("delete before"), soon, tick)
	assert.Equal(t, []string{"replace", "add after", "update before", "delete before"}, written.read())
}

func TestTailCostsOneObject(t *testing.T) {
	f := newField(t)
	f.open(watch.FromNow)
	require.Eventually(t, func() bool { return len(f.tap.requests()) == 2 }, soon, tick)
	list, watching := f.tap.requests()[0], f.tap.requests()[1]
	assert.Contains(t, list, "limit=1")
	assert.Contains(t, watching, "watch=true")
	assert.NotContains(t, watching, "sendInitialEvents")
}

func TestWatchByLabelReportsOnlyWhatHasTheLabel(t *testing.T) {
	f := newField(t)
	f.create("mine")
	f.merge("mine", `{"metadata":{"labels":{"mine":"1"}}}`)
	f.create("theirs")
	_, written := f.open(labelled)
	assert.Equal(t, []string{"replace", "listed mine"}, written.read(), "once begun, the store knows what there is")

	f.merge("theirs", `{"data":{"color":"red"}}`)
	f.merge("theirs", `{"metadata":{"labels":{"mine":"2"}}}`)
	require.Eventually(t, written.has("add theirs"), soon, tick)
	f.merge("mine", `{"metadata":{"labels":{"mine":null}}}`)
	require.Eventually(t, written.has("delete mine"), soon, tick)
	for _, uri := range f.tap.requests() {
		assert.Contains(t, uri, "labelSelector=mine")
	}
}

func TestWatchThatIsCutGoesOnWhereItWas(t *testing.T) {
	for name, source := range map[string]func(metadata.Getter) watch.Source{"tail": watch.FromNow, "labelled": labelled} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			f.create("one")
			stream, written := f.open(source)
			f.merge("one", `{"metadata":{"labels":{"mine":"1"}}}`)
			require.Eventually(t, func() bool { return len(written.read()) == 2 }, soon, tick)
			seen, requests := written.read(), len(f.tap.requests())

			f.tap.cut()
			f.merge("one", `{"metadata":{"labels":{"mine":"2"}}}`)
			f.delete("one")

			require.Eventually(t, written.has("delete one"), soon, tick)
			assert.Equal(t, append(seen, "update one", "delete one"), written.read(), "every event comes once")
			require.NoError(t, stream.Failure())
			for _, uri := range f.tap.requests()[requests:] {
				assert.Contains(t, uri, "watch=", "it does not start over")
			}
		})
	}
}

func TestExpiredWatchStartsOver(t *testing.T) {
	f := newField(t)
	stream, written := f.open(watch.FromNow)
	f.create("one")
	require.Eventually(t, written.has("add one"), soon, tick)

	f.tap.expire("configmaps")

	require.Eventually(t, written.has("replace"), soon, tick)
	f.create("two")
	require.Eventually(t, written.has("add two"), soon, tick)
	require.NoError(t, stream.Failure())
}

func TestExpiredWatchEnqueuesAllWhoFollow(t *testing.T) {
	f := newField(t)
	f.follow(rule("a"), configMaps, "one")
	f.follow(rule("b"), configMaps, "two")
	f.follow(rule("c"), secrets, "one")
	f.create("one")
	f.alarm.rings(t, rule("a"))
	require.NotEmpty(t, f.sources.LastVersion(configMaps, f.at("one")))
	f.sources.Forget(rule("c"))

	f.tap.expire("configmaps")

	woken := f.alarm.rings(t, rule("b"))
	if len(woken) == 1 {
		woken = append(woken, f.alarm.rings(t, rule("a"))...)
	}
	assert.ElementsMatch(t, []call{{rule("a"), watch.SourceChanged}, {rule("b"), watch.SourceChanged}}, woken)
	assert.Empty(t, f.sources.LastVersion(configMaps, f.at("one")), "what was seen may be old")
}

func TestClosedStreamLeavesTheStoreAlone(t *testing.T) {
	f := newField(t)
	stream, written := f.open(watch.FromNow)
	require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)
	stream.Close()
	assert.Zero(t, f.tap.watches())
	before := written.read()
	f.create("one")
	second, other := f.open(labelled)
	f.merge("one", `{"metadata":{"labels":{"mine":"1"}}}`)
	require.Eventually(t, other.has("add one"), soon, tick)
	second.Close()
	assert.Equal(t, before, written.read())
}

func TestStreamThatCannotBegin(t *testing.T) {
	f := newField(t)
	boom := errors.New("boom")
	stream := watch.Open(t.Context(), "test", watch.FromNow(f.metadata(cluster.Config).Resource(configMaps)), &diary{refuse: boom})
	defer stream.Close()
	require.ErrorIs(t, stream.WaitForStart(t.Context()), boom)
	require.ErrorIs(t, stream.Failure(), boom)
}

func TestWaitingForAStreamEndsWithTheContext(t *testing.T) {
	f := newField(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stream := watch.Open(ctx, "test", watch.FromNow(f.metadata(cluster.Config).Resource(configMaps)), &diary{})
	defer stream.Close()
	require.ErrorIs(t, stream.WaitForStart(ctx), context.Canceled)
}
