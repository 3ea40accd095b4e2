package destination_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/test/env"
)

// onlyToExist has the writer write a copy of the source that only has to exist, unless the cache says that it is in sync.
func (w *fixture) onlyToExist(manifest string) destination.Outcome {
	w.t.Helper()
	desired := w.copyIn(w.namespace, manifest).OnlyToExist(false)
	if w.set.Cache.SetDesired(desired.At, w.set.Owner.Key(), desired.Content) {
		return destination.Outcome{Place: w.set.Place(desired.At)}
	}
	return w.writer.Apply(w.t.Context(), w.set, desired)
}

func TestCopyThatOnlyHasToExistIsCreated(t *testing.T) {
	w := newFixture(t, configMaps)
	outcome := w.onlyToExist(settings("red"))
	assert.Equal(t, destination.Created, outcome.Action)
	assert.False(t, outcome.Earlier)
	assert.NotZero(t, outcome.Fields)
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	assert.Equal(t, "red", color(w.get()))

	w.known(1)
	assert.Equal(t, destination.Unchanged, w.onlyToExist(settings("blue")).Action)
	assert.Empty(t, w.tap.take())
}

// TestMarksAreRestoredAndNothingElse changes a copy that only has to exist, as somebody else might, and has the rule want other content.
func TestMarksAreRestoredAndNothingElse(t *testing.T) {
	const annotation, label, place = `"projection.sh/owned-by-projection"`, `"projection.sh/owned-by-projection-uid"`, `"projection.sh/place"`
	tests := map[string]struct {
		patches  []string
		requests []string
	}{
		"the uid of an earlier rule": {
			[]string{`{"metadata":{"labels":{` + label + `:"earlier"}}}`},
			[]string{http.MethodPatch},
		},
		"no label": {
			[]string{`{"metadata":{"labels":{` + label + `:null}}}`},
			[]string{http.MethodPatch, http.MethodGet, http.MethodPatch},
		},
		"no place, and marks by somebody else": {
			[]string{
				`{"metadata":{"annotations":{` + place + `:null,` + annotation + `:null},"labels":{` + label + `:null}}}`,
				`{"metadata":{"annotations":{` + annotation + `:"$NS/rule"},"labels":{` + label + `:"$UID"}}}`,
			},
			[]string{http.MethodPatch},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, _ := newCopy(t)
			w.merge(`{"data":{"color":"by hand","more":"by hand"},"metadata":{"annotations":{"theirs":"1"}}}`)
			before := w.get()
			for _, patch := range test.patches {
				before = w.merge(w.fill(patch))
			}
			w.restart()
			if _, labelled := before.GetLabels()[v1.LabelOwnedByProjectionUID]; labelled {
				require.Eventually(t, func() bool { return w.set.Cache.Known(w.at()).UID == before.GetUID() }, soon, tick)
			}
			w.tap.take()
			outcome := w.onlyToExist(settings("blue"))
			require.False(t, outcome.Failed(), outcome.Message)
			assert.Equal(t, destination.Updated, outcome.Action)
			assert.True(t, outcome.Earlier)
			assert.Zero(t, outcome.Fields, "they are those of whoever has changed the copy")
			assert.Equal(t, test.requests, w.tap.take())

			after := w.get()
			assert.Equal(t, before.GetUID(), after.GetUID())
			assert.Equal(t, before.Object["data"], after.Object["data"])
			assert.Equal(t, "1", after.GetAnnotations()["theirs"])
			assert.Equal(t, before.GetAnnotations()[v1.AnnotationContentHash], after.GetAnnotations()[v1.AnnotationContentHash])
			assert.Equal(t, string(w.rule.UID), after.GetLabels()[v1.LabelOwnedByProjectionUID])
			assert.Equal(t, w.at().String(), after.GetAnnotations()[v1.AnnotationPlace])

			w.known(1)
			assert.Equal(t, destination.Unchanged, w.onlyToExist(settings("blue")).Action)
			assert.Empty(t, w.tap.take())
		})
	}
}

func TestCopyOfAnotherSourceIsWrittenThoughItOnlyHasToExist(t *testing.T) {
	w, copied := newCopy(t)
	desired := w.copyIn(w.namespace, strings.ReplaceAll(settings("blue"), "namespace: home", "namespace: elsewhere")).OnlyToExist(false)
	require.False(t, w.set.Cache.SetDesired(desired.At, w.set.Owner.Key(), desired.Content))
	w.tap.take()
	outcome := w.writer.Apply(t.Context(), w.set, desired)
	assert.Equal(t, destination.Updated, outcome.Action)
	assert.False(t, outcome.Earlier)
	assert.NotZero(t, outcome.Fields)
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
	after := w.get()
	assert.Equal(t, copied.UID, after.GetUID())
	assert.Equal(t, "blue", color(after))
	assert.Equal(t, "ConfigMap/elsewhere/settings", after.GetAnnotations()[v1.AnnotationSource])
	w.known(1)
	assert.True(t, w.set.Cache.SetDesired(desired.At, w.set.Owner.Key(), desired.Content))
}

// TestCopyIsDeletedBeforeItsMarksAreRestored has somebody delete the copy right before the request.
func TestCopyIsDeletedBeforeItsMarksAreRestored(t *testing.T) {
	w, copied := newCopy(t)
	w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"earlier"}}}`)
	w.restart()
	w.known(1)
	w.tap.take()
	w.tap.once(http.MethodPatch, func() { w.delete() })
	outcome := w.onlyToExist(settings("blue"))
	require.False(t, outcome.Failed(), outcome.Message)
	assert.Equal(t, destination.Created, outcome.Action)
	assert.False(t, outcome.Earlier)
	assert.Equal(t, []string{http.MethodPatch, http.MethodPatch}, w.tap.take())
	assert.NotEqual(t, copied.UID, w.get().GetUID())
	assert.Equal(t, "blue", color(w.get()))
}

// TestCopyWhoseSourceOrKeysOthersSayIsWritten takes from a copy what says of which source it is, and which keys of a Secret it holds. The
// owner of the source decides about it by these.
func TestCopyWhoseSourceOrKeysOthersSayIsWritten(t *testing.T) {
	const public = `{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: home, annotations: {projection.sh/public-keys: "color, size"}}, data: {color: cmVk, size: MQ==}}`
	for name, patch := range map[string]string{
		"no source":      `{"metadata":{"annotations":{"projection.sh/source":null}}}`,
		"another source": `{"metadata":{"annotations":{"projection.sh/source":"Secret/home/another"}}}`,
		"fewer keys":     `{"metadata":{"annotations":{"projection.sh/published-keys":"size"}}}`,
		"no keys":        `{"metadata":{"annotations":{"projection.sh/published-keys":null}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.rule.Spec.Source.Kind, w.rule.Spec.Destination.Kind = "Secret", "ConfigMap"
			w.rule.Spec.Content.Data.Include = []string{"color", "size"}
			require.False(t, w.onlyToExist(public).Failed())
			w.known(1)
			w.merge(`{"data":{"color":"by hand"}}`)
			version := w.merge(patch).GetResourceVersion()
			require.Eventually(t, func() bool { return w.onlyToExist(public).Action == destination.Updated }, soon, tick)
			assert.NotEqual(t, version, w.get().GetResourceVersion())
			assert.Equal(t, "red", color(w.get()))
			assert.Equal(t, "color,size", w.get().GetAnnotations()[v1.AnnotationPublishedKeys])
			w.known(1)
			assert.Equal(t, destination.Unchanged, w.onlyToExist(public).Action)
		})
	}
}

// The owner of a Secret deletes it and creates it again, and the operator sees neither.
func TestCopyOfAnEarlierSecretIsWritten(t *testing.T) {
	const first, second = `kind: Secret, data: {color: cmVk}`, `kind: Secret, data: {color: Ymx1ZQ==}`
	for name, outlives := range map[string]bool{"as if it had": false, "but copies outlive their source": true} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, secrets)
			w.rule.Spec.Source.Kind = "Secret"
			require.False(t, w.apply(fixed("one", first)).Failed())
			w.known(1)
			desired := w.copyIn(w.namespace, fixed("two", second)).OnlyToExist(outlives)
			assert.Equal(t, outlives, w.set.Cache.SetDesired(desired.At, w.set.Owner.Key(), desired.Content))
			outcome := w.writer.Apply(t.Context(), w.set, desired)
			require.False(t, outcome.Failed(), outcome.Message)
			assert.Equal(t, map[bool]string{false: "Ymx1ZQ==", true: "cmVk"}[outlives], color(w.get()))
		})
	}
}

// TestCopyThatKeepsItsContentIsNotReplacedWhateverAWebhookSays has a webhook refuse the marks in the words in which the API server refuses content.
func TestCopyThatKeepsItsContentIsNotReplacedWhateverAWebhookSays(t *testing.T) {
	w := newFixture(t, secrets)
	w.rule.Spec.Source.Kind = "Secret"
	require.False(t, w.apply(fixed("one", `kind: Secret, data: {color: cmVk}`)).Failed())
	before := w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"earlier"}}}`)
	w.restart()
	w.known(1)
	w.writer.Metadata = metadata.NewForConfigOrDie(env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.Method != http.MethodPatch {
			return next.RoundTrip(request)
		}
		refusal := apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "settings", field.ErrorList{field.Forbidden(field.NewPath("data"), "field is immutable")})
		body, err := json.Marshal(refusal.Status())
		return &http.Response{
			StatusCode: http.StatusUnprocessableEntity, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), Request: request,
		}, err
	}))
	w.set.Recreations = destination.NewRecreations(time.Now)
	desired := w.copyIn(w.namespace, fixed("two", `kind: Secret, data: {color: Ymx1ZQ==}`)).OnlyToExist(true)
	outcome := w.writer.Apply(t.Context(), w.set, desired)
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason, outcome.Message)
	assert.Equal(t, before.Object, w.get().Object)
}

// The owner of a source that everybody could copy permits some namespaces only. So its copies are not to be copied further.
func TestCopyThatOnlyHasToExistIsOptedOut(t *testing.T) {
	w, copied := newCopy(t)
	w.merge(`{"data":{"color":"by hand"}}`)
	limited := strings.ReplaceAll(settings("red"), "namespace: home", `namespace: home, annotations: {projection.sh/projectable: "namespaces: team=shop"}`)
	outcome := w.onlyToExist(limited)
	require.False(t, outcome.Failed(), outcome.Message)
	assert.Equal(t, destination.Updated, outcome.Action)
	after := w.get()
	assert.Equal(t, copied.UID, after.GetUID())
	assert.Equal(t, "by hand", color(after))
	assert.Equal(t, v1.ProjectableFalse, after.GetAnnotations()[v1.AnnotationProjectable])
	w.tap.take()
	assert.Equal(t, destination.Unchanged, w.onlyToExist(limited).Action)
	assert.Equal(t, destination.Unchanged, w.onlyToExist(settings("red")).Action)
	assert.Empty(t, w.tap.take())
}

func TestForeignObjectIsLeftAloneThoughACopyOnlyHasToExist(t *testing.T) {
	w := newFixture(t, configMaps)
	before := w.blocker("yellow")
	assert.Equal(t, v1.ReasonDestinationConflict, w.onlyToExist(settings("red")).Reason)
	assert.Equal(t, before.Object, w.get().Object)
}

func TestImmutableCopyThatOnlyHasToExistIsNotReplaced(t *testing.T) {
	const first, second = `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, immutable: true, data: {color: blue}`
	w := newFixture(t, configMaps)
	require.Equal(t, destination.Created, w.apply(fixed("one", first)).Action)
	before := w.get()
	w.known(1)
	w.tap.take()
	assert.Equal(t, destination.Unchanged, w.onlyToExist(fixed("one", second)).Action)
	w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"earlier"}}}`)
	w.restart()
	w.known(1)
	require.Equal(t, destination.Updated, w.onlyToExist(fixed("one", second)).Action)
	assert.Equal(t, before.GetUID(), w.get().GetUID())
	assert.Equal(t, []string{http.MethodPatch}, w.tap.take())
}

// TestMarksAreRestoredInTheNameOfTheOperator does so even when the service account has lost its permissions, and in the name of the account where
// the operator may not.
func TestMarksAreRestoredInTheNameOfTheOperator(t *testing.T) {
	for name, test := range map[string]struct {
		operator, account, sent []string
		restored                bool
	}{
		"by the operator": {[]string{"get", "patch"}, []string{"create"}, []string{"-"}, true},
		"by the account":  {[]string{"get"}, []string{"create", "patch"}, []string{"-", "+"}, true},
		"by neither":      {[]string{"get"}, []string{"create"}, []string{"-", "+"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newFixture(t, configMaps), &senders{}
			require.False(t, w.apply(settings("red")).Failed())
			operator := "marking-" + w.namespace
			w.asAccount(s, operator, test.account...)
			w.allow(operatorSubject(operator), "configmaps", test.operator...)
			var outcome destination.Outcome
			require.Eventually(t, func() bool {
				w.merge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"earlier"}}}`)
				w.restart()
				w.known(1)
				s.take()
				outcome = w.onlyToExist(settings("red"))
				return outcome.Failed() != test.restored
			}, env.Timeout, env.Interval)
			var want []string
			for _, by := range test.sent {
				want = append(want, "PATCH "+map[string]string{"+": env.ServiceAccountUser(w.namespace, "tenant")}[by])
			}
			assert.Equal(t, want, s.take())
			if !test.restored {
				assert.Contains(t, outcome.Message, `User "`+operator+`" cannot patch`, "the operator's own right is what is missing")
			}
		})
	}
}
