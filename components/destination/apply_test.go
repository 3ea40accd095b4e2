package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
)

func TestApplyTakesOneRequest(t *testing.T) {
	w := newFixture(t, configMaps)

	created := w.apply(settings("red"))
	require.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Created, Fields: created.Fields}, created)
	assert.NotZero(t, created.Fields)
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	copied := w.get()
	assert.Equal(t, "red", color(copied))
	assert.Equal(t, w.namespace+"/rule", copied.GetAnnotations()[v1.AnnotationOwnedByProjection])
	require.Len(t, copied.GetManagedFields(), 1)
	assert.Equal(t, "Projection/"+w.namespace+"/rule", copied.GetManagedFields()[0].Manager)

	updated := w.apply(settings("blue"))
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Updated, Fields: created.Fields}, updated)
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	assert.Equal(t, "blue", color(w.get()))

	unchanged := w.apply(settings("blue"))
	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Action: destination.Unchanged, Fields: created.Fields}, unchanged)
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	assert.Empty(t, w.blockers.list())
}

func TestCopyInSyncIsKnownWithoutARequest(t *testing.T) {
	w := newFixture(t, configMaps)
	fields := w.apply(settings("red")).Fields
	want := func(manifest string) bool {
		return w.set.Cache.SetDesired(w.at(), w.set.Owner.Key(), w.copyIn(w.namespace, manifest).Content, fields)
	}
	assert.True(t, want(settings("red")))
	assert.False(t, want(settings("blue")))

	w.restart()
	w.tap.take()
	assert.True(t, want(settings("red")), "a new process knows it from the marks and from the status")
	assert.False(t, want(settings("blue")))
	assert.Empty(t, w.tap.take())
}

func TestApplyRepairsDrift(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	w.merge(`{"data":{"color":"green","theirs":"1"}}`)
	repaired := w.apply(settings("red"))
	assert.False(t, repaired.Failed())
	assert.Equal(t, destination.Updated, repaired.Action)
	assert.Equal(t, "red", color(w.get()))
	assert.Contains(t, w.get().Object["data"], "theirs", "what others add stays")
}

func TestApplyOntoAVersionThatHasPassed(t *testing.T) {
	w := newFixture(t, configMaps)
	uid := func() any { return w.get().GetUID() }
	w.apply(settings("red"))
	before := uid()
	w.tap.take()
	w.tap.once(http.MethodPatch, func() { w.merge(`{"data":{"color":"green"}}`) })

	outcome := w.apply(settings("blue"))

	assert.False(t, outcome.Failed(), outcome.Message)
	assert.Equal(t, destination.Updated, outcome.Action)
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet, http.MethodPatch}, w.tap.take())
	assert.Equal(t, "blue", color(w.get()))
	assert.Equal(t, before, uid())
	assert.Empty(t, w.blockers.list())
}

func TestApplyOntoACopyThatHasGone(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	before := w.get().GetUID()
	w.tap.once(http.MethodPatch, w.delete)

	outcome := w.apply(settings("blue"))

	assert.Equal(t, destination.Created, outcome.Action, outcome.Message)
	assert.NotEqual(t, before, w.get().GetUID())
}

func TestOwnCopyThatIsNotKnownIsTakenBack(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	before := w.get().GetUID()
	w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":null}},"data":{"color":"green"}}`)
	w.restart()
	assert.Empty(t, w.set.Cache.ByOwner(w.set.Owner.Key()))
	w.tap.take()

	outcome := w.apply(settings("red"))

	assert.False(t, outcome.Failed(), outcome.Message)
	assert.Equal(t, []string{http.MethodPatch, http.MethodGet, http.MethodPatch}, w.tap.take())
	assert.Equal(t, "red", color(w.get()))
	assert.Equal(t, before, w.get().GetUID())
	assert.Equal(t, string(w.rule.UID), w.get().GetLabels()[v1.LabelOwnedByProjectionUID])
	assert.Empty(t, w.blockers.list(), "it is no obstacle any more")
}

func TestWhoeverWritesAllTheTimeIsWaitedOut(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	w.tap.take()
	w.tap.always(http.MethodPatch, func() { w.merge(`{"data":{"color":"` + w.get().GetResourceVersion() + `"}}`) })

	outcome := w.apply(settings("blue"))

	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.True(t, apierrors.IsConflict(outcome.Err), "%v", outcome.Err)
	verbs := w.tap.take()
	assert.Equal(t, []string{
		http.MethodPatch, http.MethodGet, http.MethodPatch, http.MethodGet, http.MethodPatch, http.MethodGet, http.MethodPatch,
	}, verbs, "a pass tries four times")

	w.known(1)
	assert.False(t, w.apply(settings("blue")).Failed(), "another pass succeeds")
	assert.Equal(t, "blue", color(w.get()))
}

func TestCopyOntoItsSourceIsNotTried(t *testing.T) {
	w := newFixture(t, configMaps)
	w.rule.Spec.Source.Namespace = w.namespace
	before := w.blocker("red")

	outcome := w.apply(settings("blue"))

	assert.Equal(t, destination.Outcome{Place: w.set.Place(w.at()), Reason: v1.ReasonDestinationConflict, Message: policy.DestinationIsSource}, outcome)
	assert.Empty(t, w.tap.take())
	assert.Equal(t, before, w.get())
}
