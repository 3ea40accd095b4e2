package integration_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
)

// isMetadataOf reports whether the request reads the metadata of one ConfigMap in the namespace.
func isMetadataOf(r *http.Request, namespace string) bool {
	return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/namespaces/"+namespace+"/configmaps/") &&
		strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
}

// meeting has the first read of metadata wait for a second one, which has to come before the first is answered.
type meeting struct {
	reads  atomic.Int32
	second chan struct{}
	met    atomic.Bool
}

func newMeeting() *meeting { return &meeting{second: make(chan struct{})} }

func (m *meeting) wait() {
	switch m.reads.Add(1) {
	case 1:
		select {
		case <-m.second:
			m.met.Store(true)
		case <-time.After(5 * time.Second):
		}
	case 2:
		close(m.second)
	}
}

// TestOwnersOfMergedObjectsAreAskedTogether deletes a rule that retains its copies. The owner of each object that the copy names is asked once.
func TestOwnersOfMergedObjectsAreAskedTogether(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	all := map[string]string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		w.ca(name, `{`+name+`: "1"}`)
		all[name] = "1"
	}
	rule := w.Project("bundle", source, w.bundling(), retaining(v1.RetainRuleDeleted))
	w.has("bundle", all)
	w.Ready(rule)
	w.settles()
	reads := newMeeting()
	hook(t, func(r *http.Request) *http.Response {
		if isMetadataOf(r, w.Home) {
			reads.wait()
		}
		return nil
	})
	requests := w.requestsOf(func() {
		w.Delete(rule)
		w.Gone(rule)
	})
	w.has("bundle", all)
	assert.True(t, reads.met.Load(), "the owners are asked one after the other")
	assert.Equal(t, int32(5), reads.reads.Load(), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
}

// TestOwnersOfWhatIsNotMergedAnyMoreAreAskedTogether has two objects lose their labels while the sources are listed, and their owners opt out. The copy
// only has to exist.
func TestOwnersOfWhatIsNotMergedAnyMoreAreAskedTogether(t *testing.T) {
	w := newWorld(t)
	source, a, b, c := w.Apply(configMap), w.ca("a", `{a: "1"}`), w.ca("b", `{b: "2"}`), w.ca("c", `{c: "3"}`)
	rule := w.Project("bundle", source, w.bundling(), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.has("bundle", map[string]string{"a": "1", "b": "2", "c": "3"})
	w.Ready(rule)
	w.settles()
	reads, listed := newMeeting(), make(chan struct{})
	var waits atomic.Bool
	hook(t, func(r *http.Request) *http.Response {
		switch {
		case isListIn(r, w.Home):
			waits.Store(true)
			<-listed
		case isMetadataOf(r, w.Home):
			reads.wait()
		}
		return nil
	})
	w.Merge(a, `{"data":{"a":"one"}}`)
	w.Eventually(rule, waits.Load, "the sources are not listed")
	w.Merge(b, `{"metadata":{"labels":{"ca":null},"annotations":{"projection.sh/projectable":"false"}}}`)
	w.Merge(c, `{"metadata":{"labels":{"ca":null},"annotations":{"projection.sh/projectable":"false"}}}`)
	close(listed)
	w.has("bundle", map[string]string{"a": "one"})
	assert.True(t, reads.met.Load(), "the owners are asked one after the other")
}
