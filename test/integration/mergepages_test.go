package integration_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMergedListWhoseContinuationExpiresBeginsAgain has the API server forget the second page of the objects that are merged. None of them is lost, and
// none is merged twice.
func TestMergedListWhoseContinuationExpiresBeginsAgain(t *testing.T) {
	w := newWorld(t)
	source, all := w.Apply(configMap), map[string]string{}
	for i := range 60 {
		name := fmt.Sprintf("ca-%02d", i)
		w.ca(name, `{`+name+`: "1"}`)
		all[name] = "1"
	}
	rule := w.Project("bundle", source, w.bundling())
	w.has("bundle", all)
	w.Ready(rule)
	w.settles()
	var answered atomic.Bool
	hook(t, func(r *http.Request) *http.Response {
		if isListIn(r, w.Home) && r.URL.Query().Get("continue") != "" && answered.CompareAndSwap(false, true) {
			return expired(r)
		}
		return nil
	})
	all["ca-00"] = "2"
	requests := w.requestsOf(func() {
		w.ca("ca-00", `{ca-00: "2"}`)
		w.has("bundle", all)
		w.settles()
	})
	assert.True(t, answered.Load())
	assert.Equal(t, 3, count(requests, "list", "configmaps"), "the first page is read again: %v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "create", "events"), "the copy was written, and no failure is reported: %v", requests)
	w.Ready(rule)
}
