package destination_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// fixed is the manifest of a source with that uid that cannot be changed in place.
func fixed(uid, content string) string {
	return fmt.Sprintf(`{metadata: {name: settings, namespace: home, uid: %s}, apiVersion: v1, %s}`, uid, content)
}

// replacements are sources, and others that their copies cannot become.
var replacements = map[string]struct {
	resource        schema.GroupVersionResource
	content, second string
}{
	"an immutable ConfigMap": {
		configMaps, `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, immutable: true, data: {color: blue}`,
	},
	"an immutable ConfigMap by a mutable one": {
		configMaps, `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, data: {color: blue}`,
	},
	"an immutable Secret": {
		secrets, `kind: Secret, immutable: true, data: {color: cmVk}`, `kind: Secret, immutable: true, data: {color: Ymx1ZQ==}`,
	},
	"a Secret by one of another type": {
		secrets, `kind: Secret, type: Opaque, data: {color: cmVk}`, `kind: Secret, type: example.com/other, data: {color: cmVk}`,
	},
}

func TestCopyOfAReplacedSourceIsReplaced(t *testing.T) {
	for name, test := range replacements {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, test.resource)
			require.Equal(t, destination.Created, w.apply(fixed("one", test.content)).Action)
			before := w.get()

			outcome := w.apply(fixed("two", test.second))

			assert.Empty(t, outcome.Reason, outcome.Message)
			assert.Equal(t, destination.Created, outcome.Action)
			assert.False(t, outcome.Corrected, "nobody changed the copy")
			after := w.get()
			assert.NotEqual(t, before.GetUID(), after.GetUID())
			if fixed := after.Object["immutable"] == true || test.resource == secrets; fixed {
				assert.Equal(t, "two", after.GetAnnotations()[v1.AnnotationSourceUID])
			} else {
				assert.NotContains(t, after.GetAnnotations(), v1.AnnotationSourceUID)
			}
			for _, field := range []string{"data", "type", "immutable"} {
				if wanted, found := source(t, fixed("two", test.second)).Object[field]; found {
					assert.Equal(t, wanted, after.Object[field])
				}
			}
		})
	}
}

// TestCopyOfAnEditedSourceIsNotReplaced has somebody else make the copy immutable, or the copy is of a version that noted no source.
func TestCopyOfAnEditedSourceIsNotReplaced(t *testing.T) {
	for name, test := range replacements {
		for uid, noted := range map[string]string{"the same source": `"two"`, "no source": `null`} {
			t.Run(name+", "+uid, func(t *testing.T) {
				w := newFixture(t, test.resource)
				w.apply(fixed("two", test.content))
				w.merge(`{"metadata":{"annotations":{"` + v1.AnnotationSourceUID + `":` + noted + `}}}`)
				before := w.get()
				var deletions int
				w.tap.always(http.MethodDelete, func() { deletions++ })

				outcome := w.apply(fixed("two", test.second))

				assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
				assert.Contains(t, outcome.Message, "an immutable field differs; to recreate the copy, run kubectl -n ")
				assert.Equal(t, before.Object, w.get().Object)
				assert.Zero(t, deletions)
			})
		}
	}
}

// TestCopyIsReplacedOnlyAsItWasSeen has somebody release the copy while it is about to be deleted.
func TestCopyIsReplacedOnlyAsItWasSeen(t *testing.T) {
	test := replacements["an immutable ConfigMap"]
	w := newFixture(t, test.resource)
	w.apply(fixed("one", test.content))
	before := w.get()
	w.tap.once(http.MethodDelete, func() {
		w.merge(`{"metadata":{"annotations":{"` + v1.AnnotationOwnedByProjection + `":null}}}`)
	})

	outcome := w.apply(fixed("two", test.second))

	assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
	assert.Equal(t, before.GetUID(), w.get().GetUID())
}

// TestCopyThatIsSlowToGoIsReplacedLater has a finalizer keep the copy.
func TestCopyThatIsSlowToGoIsReplacedLater(t *testing.T) {
	test := replacements["an immutable ConfigMap"]
	w := newFixture(t, test.resource)
	w.apply(fixed("one", test.content))
	w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)

	outcome := w.apply(fixed("two", test.second))
	assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
	assert.Equal(t, "an object is there that is being deleted and waits for its finalizer example.com/hold; the copy follows when it is deleted", outcome.Message)

	w.merge(`{"metadata":{"finalizers":null}}`)
	w.blockers.stir()
	assert.Equal(t, destination.Created, w.apply(fixed("two", test.second)).Action)
}

// TestCopyThatIsNotWantedAnyMoreIsNotReplaced has the source opted out while its copy is being replaced.
func TestCopyThatIsNotWantedAnyMoreIsNotReplaced(t *testing.T) {
	test := replacements["an immutable Secret"]
	w := newFixture(t, test.resource)
	withdrawn := false
	w.set.Withdrawn = func(string) bool { return withdrawn }
	require.Equal(t, destination.Created, w.apply(fixed("one", test.content)).Action)
	w.tap.once(http.MethodDelete, func() { withdrawn = true })

	outcome := w.apply(fixed("two", test.second))

	assert.True(t, outcome.Pending)
	assert.Empty(t, outcome.Reason)
	_, err := w.objects().Get(t.Context(), w.at().Name, metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

// TestCopyThatIsMoreThanDataIsNotReplaced has somebody who may edit the copy, and not delete it, forge the source that it names.
func TestCopyThatIsMoreThanDataIsNotReplaced(t *testing.T) {
	claim := `kind: PersistentVolumeClaim, spec: {accessModes: [%s], resources: {requests: {storage: 1Gi}}}`
	w := newFixture(t, schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"})
	require.Equal(t, destination.Created, w.apply(fixed("one", fmt.Sprintf(claim, "ReadWriteOnce"))).Action)
	w.merge(`{"metadata":{"annotations":{"` + v1.AnnotationSourceUID + `":"forged"}}}`)
	before := w.get()

	outcome := w.apply(fixed("one", fmt.Sprintf(claim, "ReadWriteMany")))

	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.Equal(t, before.GetUID(), w.get().GetUID())
	assert.Nil(t, w.get().GetDeletionTimestamp())
}
