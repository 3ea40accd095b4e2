package destination_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/test/env"
)

// TestMarkThatItsToolRemovesMeanwhileIsNoFailure has the tool react to the apply.
func TestMarkThatItsToolRemovesMeanwhileIsNoFailure(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	w.blocker("green")
	before := w.merge(`{"metadata":{"annotations":{"reflector.v1.k8s.emberstack.com/reflects":"home/settings"}}}`)
	patches := 0
	w.tap.always(http.MethodPatch, func() {
		if patches++; patches == 3 {
			w.merge(`{"metadata":{"annotations":{"reflector.v1.k8s.emberstack.com/reflects":null}}}`)
		}
	})
	requireAdopted(t, w, before, w.apply(settings("red")))
}

// TestFieldThatAnEarlierRuleSharedStaysWithTheOther has somebody apply a label that an earlier rule of the same name had applied, and that the copy
// is not to have any more.
func TestFieldThatAnEarlierRuleSharedStaysWithTheOther(t *testing.T) {
	const earlier = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home, labels: {old: "1"}}, data: {color: red}}`
	w := newAdopter(t, v1.ConflictAdoptIdentical)
	require.Equal(t, destination.Created, w.apply(earlier).Action)
	require.Equal(t, destination.Retained, w.retain(w.known(1)[0]).Action)
	w.known(0)
	object := source(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, labels: {old: "1"}}}`)
	object.SetNamespace(w.namespace)
	before, err := w.objects().Apply(t.Context(), "settings", object, metav1.ApplyOptions{FieldManager: "somebody"})
	require.NoError(t, err)
	w.rule.UID = "uid-of-the-next"
	w.set.Owner.UID = w.rule.UID
	requireAdopted(t, w, before, w.apply(settings("red")))
	assert.Contains(t, w.get().GetLabels(), "old")
}

// TestAdoptionsOfAnInsistentToolBackOff has the old tool replace the object each time, or delete it and create it again.
func TestAdoptionsOfAnInsistentToolBackOff(t *testing.T) {
	for name, insist := range map[string]func(w *fixture, theirs *unstructured.Unstructured){
		"replaces": func(w *fixture, theirs *unstructured.Unstructured) {
			_, err := w.objects().Update(w.t.Context(), theirs, metav1.UpdateOptions{FieldManager: "tool"})
			require.NoError(w.t, err)
		},
		"recreates": func(w *fixture, _ *unstructured.Unstructured) {
			w.delete()
			w.blocker("green")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAdopter(t, v1.ConflictAdopt)
			theirs := w.blocker("green").DeepCopy()
			theirs.SetResourceVersion("")
			theirs.SetUID("")
			theirs.SetManagedFields(nil)
			for range 3 {
				require.False(t, w.apply(settings("red")).Failed())
				w.known(1)
				insist(w, theirs)
				w.known(0)
			}
			require.Eventually(t, func() bool {
				outcome := w.apply(settings("red"))
				if !outcome.Failed() {
					w.known(1)
					insist(w, theirs)
					w.known(0)
				}
				return outcome.RetryAfter > 0
			}, soon, tick)
		})
	}
}

// TestAdoptionNamesTheObjectThatWasLookedAt by its uid and its version, in both writes.
func TestAdoptionNamesTheObjectThatWasLookedAt(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	var sent []string
	w.use(env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method == http.MethodPatch {
			body, err := request.GetBody()
			require.NoError(t, err)
			text, err := io.ReadAll(body)
			require.NoError(t, err)
			sent = append(sent, string(text))
		}
		return next.RoundTrip(request)
	}))
	w.set.OnConflict = v1.ConflictAdopt
	theirs := w.blocker("green")
	require.Equal(t, destination.Adopted, w.apply(settings("red")).Action)
	require.Len(t, sent, 3)
	assert.NotContains(t, sent[0], string(theirs.GetUID()))
	assert.Contains(t, sent[1], `"uid":"`+string(theirs.GetUID())+`"`)
	assert.Contains(t, sent[1], `"resourceVersion":"`+theirs.GetResourceVersion()+`"`)
	assert.Contains(t, sent[2], `"uid":"`+string(theirs.GetUID())+`"`)
	assert.Contains(t, sent[2], `"resourceVersion":"`)
}

// TestOnlyTheObjectThatWasLookedAtIsAdopted has others act between the look and the apply.
func TestOnlyTheObjectThatWasLookedAtIsAdopted(t *testing.T) {
	tests := map[string]struct {
		happens func(w *fixture)
		action  destination.Action
		message string
	}{
		"it says something else now": {func(w *fixture) { w.merge(`{"data":{"color":"green"}}`) }, "", "says something else: data (1 key)"},
		"another rule has taken it": {func(w *fixture) {
			w.merge(w.fill(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`))
		}, "", "belongs to the Projection"},
		"it is another object":              {func(w *fixture) { w.delete(); w.blocker("green") }, "", "says something else: data (1 key)"},
		"it is another object that is same": {func(w *fixture) { w.delete(); w.blocker("red") }, destination.Adopted, ""},
		"it is gone":                        {func(w *fixture) { w.delete() }, destination.Created, ""},
		"somebody else labels it":           {func(w *fixture) { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) }, destination.Adopted, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newAdopter(t, v1.ConflictAdoptIdentical)
			w.blocker("red")
			patches := 0
			w.tap.always(http.MethodPatch, func() {
				if patches++; patches == 2 {
					test.happens(w)
				}
			})
			outcome := w.apply(settings("red"))
			assert.Equal(t, test.action, outcome.Action)
			assert.Contains(t, outcome.Message, test.message)
			if test.message != "" {
				assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
				for _, entry := range w.get().GetManagedFields() {
					assert.NotContains(t, entry.Manager, "/rule", "nothing of ours")
				}
			}
		})
	}
}

// TestAdoptionThatWasInterruptedEnds has the operator stop after the apply, and another one begin.
func TestAdoptionThatWasInterruptedEnds(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	w.blocker("green")
	before := w.merge(`{"metadata":{"annotations":{"reflector.v1.k8s.emberstack.com/reflects":"home/settings"}}}`)
	patches := 0
	w.tap.always(http.MethodPatch, func() {
		if patches++; patches == 2 {
			w.tap.mu.Lock()
			w.tap.fails = 2 // this one gets through, and the next one does not
			w.tap.mu.Unlock()
		}
	})
	outcome := w.apply(settings("red"))
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.Zero(t, w.known(1)[0].Fields, "not in sync, whatever was applied before")

	for range 2 {
		w.restart()
		w.known(1)
		w.tap.take()
		outcome = w.apply(settings("red"))
		require.False(t, outcome.Failed(), outcome.Message)
		outcome.Action = destination.Adopted
		requireAdopted(t, w, before, outcome)
		assert.NotContains(t, w.get().GetAnnotations(), "reflector.v1.k8s.emberstack.com/reflects")
	}
}

// TestCopyThatWasRetainedIsAdopted has the next rule of the same name adopt what an earlier one has applied. A label that the source has lost
// meanwhile goes.
func TestCopyThatWasRetainedIsAdopted(t *testing.T) {
	const earlier = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home, labels: {old: "1"}}, data: {color: red}}`
	w := newAdopter(t, v1.ConflictAdoptIdentical)
	require.Equal(t, destination.Created, w.apply(earlier).Action)
	require.Equal(t, destination.Retained, w.retain(w.known(1)[0]).Action)
	w.known(0)
	w.tap.take()
	before := w.get()
	w.rule.UID = "uid-of-the-next"
	w.set.Owner.UID = w.rule.UID
	requireAdopted(t, w, before, w.apply(earlier))
	assert.Equal(t, adoption, w.tap.take())

	require.Equal(t, destination.Retained, w.retain(w.known(1)[0]).Action)
	w.known(0)
	w.tap.take()
	requireAdopted(t, w, before, w.apply(settings("red")))
	assert.Equal(t, append(adoption[:4:4], http.MethodPatch), w.tap.take())
	assert.NotContains(t, w.get().GetLabels(), "old")
}

// TestWhatOthersOwnStaysTheirs has somebody apply fields of an object that is adopted.
func TestWhatOthersOwnStaysTheirs(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	object := source(t, settings("red"))
	object.SetNamespace(w.namespace)
	require.NoError(t, unstructured.SetNestedField(object.Object, "1", "data", "theirs"))
	object.SetLabels(map[string]string{"theirs": "1"})
	apply := func() error {
		_, err := w.objects().Apply(t.Context(), "settings", object, metav1.ApplyOptions{FieldManager: "somebody"})
		return err
	}
	require.NoError(t, apply())
	requireAdopted(t, w, w.get(), w.apply(settings("red")))
	entries := map[string]map[string]any{}
	for _, entry := range w.get().GetManagedFields() {
		var fields map[string]any
		require.NoError(t, json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields))
		entries[entry.Manager] = fields
	}
	assert.Equal(t, map[string]map[string]any{
		"somebody": {"f:metadata": map[string]any{"f:labels": map[string]any{"f:theirs": map[string]any{}}}, "f:data": map[string]any{"f:theirs": map[string]any{}}},
	}, map[string]map[string]any{"somebody": entries["somebody"]})
	assert.Len(t, entries, 2)

	require.NoError(t, unstructured.SetNestedField(object.Object, "2", "data", "theirs"))
	require.NoError(t, apply(), "no conflict: the values are equal")
	assert.Equal(t, destination.Unchanged, w.apply(settings("red")).Action)
	assert.Equal(t, "2", w.get().Object["data"].(map[string]any)["theirs"])
}
