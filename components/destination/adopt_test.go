package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// adoption are the requests of an adoption: the creation that is refused, the look, the apply, and the end.
var adoption = []string{http.MethodPatch, http.MethodGet, http.MethodPatch, http.MethodPatch}

// newAdopter returns a fixture whose rule has that policy.
func newAdopter(t *testing.T, onConflict v1.ConflictPolicy) *fixture {
	t.Helper()
	w := newFixture(t, configMaps)
	w.set.OnConflict = onConflict
	return w
}

// requireAdopted checks that the object that was there is a copy like any other: the rule alone owns what it applied.
func requireAdopted(t *testing.T, w *fixture, before *unstructured.Unstructured, outcome destination.Outcome) {
	t.Helper()
	require.False(t, outcome.Failed(), outcome.Message)
	assert.Equal(t, destination.Adopted, outcome.Action)
	assert.False(t, outcome.Corrected)
	now := w.get()
	assert.Equal(t, before.GetUID(), now.GetUID())
	assert.Equal(t, w.set.Owner.Ref(), now.GetAnnotations()[v1.AnnotationOwnedByProjection])
	assert.Empty(t, w.blockers.list())
	assert.Equal(t, outcome.Fields, w.known(1)[0].Fields)
	for _, entry := range now.GetManagedFields() {
		assert.NotEqual(t, w.set.Owner.Adopting(), entry.Manager)
		if entry.Manager != w.set.Owner.FieldManager() {
			assert.NotContains(t, string(entry.FieldsV1.GetRawBytes()), `"f:color"`, entry.Manager)
		}
	}
}

func TestIdenticalObjectIsAdopted(t *testing.T) {
	for _, onConflict := range []v1.ConflictPolicy{v1.ConflictAdoptIdentical, v1.ConflictAdopt} {
		t.Run(string(onConflict), func(t *testing.T) {
			w := newAdopter(t, onConflict)
			w.blocker("red")
			before := w.merge(`{"metadata":{"labels":{"theirs":"1"},"annotations":{"theirs":"2"},"finalizers":["example.com/theirs"]}}`)
			outcome := w.apply(settings("red"))
			requireAdopted(t, w, before, outcome)
			assert.Equal(t, adoption, w.tap.take())
			now := w.get()
			assert.Equal(t, "1", now.GetLabels()["theirs"])
			assert.Equal(t, "2", now.GetAnnotations()["theirs"])
			assert.Equal(t, []string{"example.com/theirs"}, now.GetFinalizers())

			assert.True(t, w.set.Cache.SetDesired(w.at(), w.set.Owner.Key(), w.copyIn(w.namespace, settings("red")).Content, outcome.Fields), "in sync")
			assert.Empty(t, w.queued, "the rule's own requests enqueue nobody")
			require.Equal(t, destination.Updated, w.apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home}}`).Action)
			assert.Empty(t, color(w.get()), "a key that goes from the source goes from the copy")
		})
	}
}

func TestObjectThatSaysSomethingElseIsAdoptedOnlyByAdopt(t *testing.T) {
	tests := map[string]struct{ theirs, differs string }{
		"another value":                 {`{"data":{"color":"green"}}`, "data (1 key)"},
		"a further key":                 {`{"data":{"secret-name":"x"}}`, "data (1 key)"},
		"a key that is missing":         {`{"data":{"color":null,"a":"b"}}`, "data (2 keys)"},
		"binary data":                   {`{"binaryData":{"color2":"AAAA"}}`, "binaryData (1 key)"},
		"another label":                 {`{"metadata":{"labels":{"tier":"gold"}}}`, "metadata.labels"},
		"another annotation, and value": {`{"metadata":{"annotations":{"note":"other"}},"data":{"color":"green"}}`, "data (1 key), metadata.annotations"},
		"what cannot be changed":        {`{"immutable":true}`, "immutable"},
	}
	const manifest = `{apiVersion: v1, kind: ConfigMap, data: {color: red},
		metadata: {name: settings, namespace: home, labels: {tier: silver}, annotations: {note: mine}}}`
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newAdopter(t, v1.ConflictAdoptIdentical)
			w.blocker("red")
			before := w.merge(test.theirs)
			outcome := w.apply(manifest)
			assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
			assert.Equal(t, "an object is there that says something else: "+test.differs+"; it is left alone; make it equal or delete it, "+
				"set another destination.name, or set policy.onConflict to Adopt to overwrite it", outcome.Message)
			require.NoError(t, outcome.Err)
			assert.Equal(t, before, w.get(), "not a byte")
			assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())

			assert.True(t, w.apply(manifest).Repeated)
			assert.Empty(t, w.tap.take(), "nothing happened there")

			w.set.OnConflict = v1.ConflictAdopt
			requireAdopted(t, w, before, w.apply(manifest))
			assert.Equal(t, adoption, w.tap.take())
			assert.Equal(t, "red", color(w.get()))
		})
	}
}

// TestDifferingObjectIsJudgedAgain when the wanted content changes. That the rule is enqueued when the object does is for the watch.
func TestDifferingObjectIsJudgedAgain(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdoptIdentical)
	before := w.blocker("blue")
	require.Equal(t, v1.ReasonDestinationConflict, w.apply(settings("red")).Reason)
	w.tap.take()
	requireAdopted(t, w, before, w.apply(settings("blue")))
	assert.Equal(t, adoption, w.tap.take())
}

func TestMarksOfToolsThatCopyAreRemovedOnAdoption(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdoptIdentical)
	w.blocker("red")
	before := w.merge(`{"metadata":{"labels":{"generate.kyverno.io/policy-name":"p","generate.kyverno.io/clone-source":"","theirs":"1"},"annotations":{
		"reflector.v1.k8s.emberstack.com/reflects":"home/settings","replicator.v1.mittwald.de/replicated-at":"now","kubed.appscode.com/origin":"{}","theirs":"2"}}}`)
	outcome := w.apply(settings("red"))
	requireAdopted(t, w, before, outcome)
	assert.Equal(t, adoption, w.tap.take())
	now := w.get()
	assert.Equal(t, map[string]string{"theirs": "1", v1.LabelOwnedByProjectionUID: string(w.rule.UID)}, now.GetLabels())
	for key := range now.GetAnnotations() {
		assert.NotRegexp(t, "reflector|replicator|kubed", key)
	}
	assert.Equal(t, "2", now.GetAnnotations()["theirs"])
}
