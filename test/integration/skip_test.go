package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestSkippedObjectsAreNoFailures lets tenants override a default.
func TestSkippedObjectsAreNoFailures(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	one, two, three := w.Namespace("one", nil), w.Namespace("two", nil), w.Namespace("three", nil)
	theirs := w.foreign(two, other)
	rule := w.adopting(source, "{onConflict: Skip}", one, two, three)
	said := func(count int32, message string) {
		t.Helper()
		w.Eventually(rule, func() bool {
			written := w.condition(rule, v1.ConditionDestinationWritten)
			return written.Message == message && written.Status == metav1.ConditionTrue && rule.Status.NamespacesSkipped != nil &&
				*rule.Status.NamespacesSkipped == count && *rule.Status.NamespacesTargeted == 3-count
		}, message)
	}
	said(1, "all 2 copies are in sync with their source; 1 more is skipped, because another object is in its place, and policy.onConflict is Skip")
	w.Ready(rule)
	w.counts(rule, 2, 0)
	w.settles()
	assert.Empty(t, w.requestsOn([]string{two}, func() {
		w.Merge(theirs, `{"data":{"color":"blue"}}`)
		w.settles()
	}))

	w.Merge(w.Exists(source, one, "settings", fixture.Anything), `{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":null}}}`)
	said(2, "the copy is in sync with its source; 2 more are skipped: for each, another object is in its place, and policy.onConflict is Skip")
	w.Ready(rule)
	w.Delete(theirs)
	said(1, "all 2 copies are in sync with their source; 1 more is skipped, because another object is in its place, and policy.onConflict is Skip")
	w.Merge(rule, `{"spec":{"policy":null}}`)
	w.counts(rule, 2, 1)
	assert.Nil(t, rule.Status.NamespacesSkipped)
}

// TestProjectionWithoutItsCopyIsReady under Skip.
func TestProjectionWithoutItsCopyIsReady(t *testing.T) {
	w := newWorld(t)
	source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
	rule := w.Project("rule", source, onConflict(v1.ConflictSkip))
	w.Ready(rule)
	assert.Equal(t, "there is no copy, because another object is in its place, and policy.onConflict is Skip",
		w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionTrue, v1.ReasonProjected).Message)
	assert.Empty(t, rule.Status.DestinationName)
	w.Delete(theirs)
	w.Exists(source, w.Away, "settings", fixture.Anything)
	w.Eventually(rule, func() bool {
		return w.Client.Get(t.Context(), client.ObjectKeyFromObject(rule), rule) == nil && rule.Status.DestinationName == "settings"
	}, "there is a copy now")
	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}
