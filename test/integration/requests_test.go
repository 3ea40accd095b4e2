package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// requestsOf returns the requests that the operator makes on behalf of this test's namespaces while the function runs.
func (w *world) requestsOf(do func()) []env.Request {
	w.T.Helper()
	return w.RequestsDuring(cluster, operatorUser, do)
}

// settles returns when the operator has had nothing to do for this test for half a second.
func (w *world) settles() {
	w.T.Helper()
	w.Settles(cluster, operatorUser)
}

func count(requests []env.Request, verb, resource string) int {
	n := 0
	for _, request := range requests {
		if request.Verb == verb && request.Resource == resource {
			n++
		}
	}
	return n
}

// names returns what each request does to what.
func names(requests []env.Request) []string {
	var names []string
	for _, request := range requests {
		resource := request.Resource
		if request.Subresource != "" {
			resource += "/" + request.Subresource
		}
		names = append(names, request.Verb+" "+resource)
	}
	return names
}

func TestRequestsPerEditOfASource(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("settings", source))
	w.settles()

	requests := w.requestsOf(func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		w.settles()
	})

	assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "create", "events")+count(requests, "patch", "events"), "%v", requests)
	assert.Len(t, requests, 3)
}

func TestRequestsToHealADeletedCopy(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("settings", source))
	w.settles()
	before := w.Exists(source, w.Away, "settings", fixture.Anything)

	requests := w.requestsOf(func() {
		w.Delete(before)
		w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetUID() != before.GetUID() })
		w.settles()
	})

	assert.LessOrEqual(t, len(requests), 3, "%v", requests)
}

func TestRequestsToCreateARule(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("warm", source)) // the watches on the kind are open
	w.settles()

	requests := w.requestsOf(func() {
		w.Ready(w.projectAs("settings", "another", source))
		w.settles()
	})

	requests = slices.DeleteFunc(requests, func(r env.Request) bool { return r.Resource == "events" }) // nobody waits for these
	want := []string{"patch projections", "get configmaps", "patch configmaps", "update projections/status"}
	assert.ElementsMatch(t, want, names(requests))
	claimed := slices.IndexFunc(requests, func(r env.Request) bool { return r.Verb == "patch" && r.Resource == "projections" })
	copied := slices.IndexFunc(requests, func(r env.Request) bool { return r.Verb == "patch" && r.Resource == "configmaps" })
	assert.Less(t, claimed, copied, "the finalizer is on the rule before there is a copy: %v", requests)
}

func TestStatusOfASourceCausesNoRequest(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(deployment)
	w.Ready(w.Project("web", source))
	w.settles()

	requests := w.requestsOf(func() {
		for replicas := range 10 {
			patch := fmt.Appendf(nil, `{"status":{"replicas":%d}}`, 10+replicas)
			require.NoError(t, w.Client.Status().Patch(t.Context(), source, client.RawPatch(types.MergePatchType, patch)))
		}
		w.settles()
	})

	assert.Empty(t, requests)
}
