package integration_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

const optsOut = `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`

// holdLists has each list of the sources wait until release is called. It reports whether one waits.
func (w *world) holdLists() (waits func() bool, release func()) {
	var waiting atomic.Bool
	released := make(chan struct{})
	hook(w.T, func(r *http.Request) *http.Response {
		if isListIn(r, w.Home) {
			waiting.Store(true)
			<-released
		}
		return nil
	})
	return waiting.Load, func() { close(released) }
}

// isListIn reports whether the request lists ConfigMaps in the namespace.
func isListIn(r *http.Request, namespace string) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+namespace+"/configmaps") && r.URL.Query().Get("watch") == ""
}

// TestOptOutsThatAreSeenTogetherEndTheirRecordsInOneRequest has two owners opt out between two lists.
func TestOptOutsThatAreSeenTogetherEndTheirRecordsInOneRequest(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.shares("a"), w.shares("b"), w.shares("c")
	rule := w.selectingAs(retaining(v1.RetainSourceGone))
	w.Ready(rule)
	w.settles()
	requests := w.requestsOf(func() {
		waits, release := w.holdLists()
		w.Merge(c, `{"data":{"color":"blue"}}`)
		w.Eventually(rule, waits, "the sources are not listed")
		w.Merge(a, optsOut)
		w.Merge(b, optsOut)
		release()
		w.gone(a, w.Away, "a")
		w.gone(a, w.Away, "b")
		w.Exists(c, w.Away, "c", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})
	changes := 0
	for _, r := range requests {
		if r.Verb == "patch" && r.Resource == "projections" && r.Subresource == "" {
			changes++
		}
	}
	assert.Equal(t, 1, changes, "%v", requests)
	assert.Equal(t, 2, count(requests, "delete", "configmaps"), "%v", requests)
}

// TestConsentIsRecordedWhileAnotherCopyCannotBeDeleted has a source come while the copy of another one, which was opted out, cannot be deleted. Then the
// new source is deleted, too.
func TestConsentIsRecordedWhileAnotherCopyCannotBeDeleted(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	rule := w.selectingAs(retaining(v1.RetainSourceGone))
	w.Ready(rule)
	var refuses atomic.Bool
	refuses.Store(true)
	hook(t, func(r *http.Request) *http.Response {
		if refuses.Load() && r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Away+"/configmaps/a") {
			return internalError(r)
		}
		return nil
	})
	w.Merge(a, optsOut)
	w.Says(rule, v1.ConditionDestinationWritten, "False", v1.ReasonDestinationWriteFailed)
	c := w.shares("c")
	w.Exists(c, w.Away, "c", fixture.Anything)
	w.settles()
	w.Delete(c)
	w.sourcesOf(rule, 1)
	w.settles()
	refuses.Store(false)
	w.gone(a, w.Away, "a")
	_, err := w.Get(c, w.Away, "c")
	require.NoError(t, err, "the consent to the new source was not recorded")
	w.Ready(rule)
}

// TestNoCopyIsDeletedBeforeTheRecordOfItsConsentHasEnded has somebody edit the rule while the record of consent is ended. The copy is there until the next
// try has ended it: a copy that a kill leaves would have the record, and be kept when its source is deleted.
func TestNoCopyIsDeletedBeforeTheRecordOfItsConsentHasEnded(t *testing.T) {
	t.Parallel()
	const elsewhere = `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: group=nowhere"}}}`
	for name, test := range map[string]struct {
		objection string
		create    func(w *world) *v1.Projection
	}{
		"selected sources that an account reads": {optsOut, func(w *world) *v1.Projection {
			w.grant("reader", w.Away, "create patch")
			w.grantNamed("a", "b")
			return w.selectingAs(asAccount("reader"), retaining(v1.RetainSourceGone))
		}},
		"selected sources": {elsewhere, func(w *world) *v1.Projection { return w.selectingAs(retaining(v1.RetainSourceGone)) }},
		"a named source": {elsewhere, func(w *world) *v1.Projection {
			return w.Project("rule", w.Object(configMap), retaining(v1.RetainSourceGone), func(rule *v1.Projection) { rule.Spec.Source.Name = "a" })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a := w.shares("a")
			w.shares("b")
			rule := test.create(w)
			w.Ready(rule)
			w.Exists(a, w.Away, "a", fixture.Anything)
			w.settles()
			var edited atomic.Bool
			hook(t, func(r *http.Request) *http.Response {
				if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Away+"/projections/rule") && edited.CompareAndSwap(false, true) {
					edit := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"edited":"yes"}}}`))
					assert.NoError(t, w.Client.Patch(t.Context(), rule.DeepCopy(), edit))
				}
				return nil
			})
			requests := w.requestsOf(func() {
				w.Merge(a, test.objection)
				w.gone(a, w.Away, "a")
				w.settles()
			})
			assert.True(t, edited.Load())
			assert.Equal(t, []string{"409", "200", "deleted"}, recordsBeforeTheDeletion(requests), "%v", requests)
		})
	}
}

// TestCopiesWaitForARecordThatCannotBeEnded has the API server fail once when the record of consent is ended.
func TestCopiesWaitForARecordThatCannotBeEnded(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("a", "b")
	rule := w.selectingAs(asAccount("reader"), retaining(v1.RetainSourceGone))
	w.Ready(rule)
	w.settles()
	var failed atomic.Bool
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Away+"/projections/rule") && failed.CompareAndSwap(false, true) {
			return internalError(r)
		}
		return nil
	})
	requests := w.requestsOf(func() {
		w.Merge(a, optsOut)
		w.gone(a, w.Away, "a")
		w.settles()
	})
	assert.True(t, failed.Load())
	assert.Equal(t, []string{"200", "deleted"}, recordsBeforeTheDeletion(requests), "%v", requests)
}

// recordsBeforeTheDeletion returns the answers to changes of the rule before the first copy is deleted, and that it is.
func recordsBeforeTheDeletion(requests []env.Request) (all []string) {
	for _, r := range requests {
		switch {
		case r.Verb == "patch" && r.Resource == "projections" && r.Subresource == "":
			all = append(all, strconv.Itoa(int(r.Code)))
		case r.Verb == "delete" && r.Resource == "configmaps":
			return append(all, "deleted")
		}
	}
	return all
}

// sourcesOf waits until the status of the rule counts the sources.
func (w *world) sourcesOf(rule *v1.Projection, count int32) {
	w.T.Helper()
	w.Eventually(rule, func() bool {
		return w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.Sources != nil && *rule.Status.Sources == count
	}, "the rule does not report %d sources", count)
}
