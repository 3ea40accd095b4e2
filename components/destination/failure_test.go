package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/destination"
)

func TestCopyThatIsBeingDeletedIsWaitedFor(t *testing.T) {
	for _, known := range []string{"known", "not known"} {
		t.Run(known, func(t *testing.T) {
			w := newFixture(t, configMaps)
			w.apply(settings("red"))
			w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)
			if known == "known" {
				w.delete()
				require.Eventually(t, func() bool {
					copies := w.set.Cache.ByOwner(w.set.Owner.Key())
					return len(copies) == 1 && copies[0].Terminating
				}, soon, tick)
			} else {
				w.tap.once(http.MethodPatch, w.delete)
			}

			outcome := w.apply(settings("blue"))

			assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
			assert.Equal(t, "an object is there that is being deleted and waits for its finalizer example.com/hold; the copy follows when it is deleted", outcome.Message)
			require.NoError(t, outcome.Err, "its end enqueues the rule")
			assert.Equal(t, "red", color(w.get()))

			w.merge(`{"metadata":{"finalizers":null}}`)
			w.blockers.stir()
			assert.Equal(t, destination.Created, w.apply(settings("blue")).Action)
		})
	}
}

func TestNamespaceThatIsBeingDeletedIsTriedAgain(t *testing.T) {
	w := newFixture(t, configMaps)
	namespaces := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().Namespaces()
	require.NoError(t, namespaces.Delete(t.Context(), w.namespace, metav1.DeleteOptions{})) // nobody here brings it to an end
	outcome := w.apply(settings("red"))
	assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
	assert.Equal(t, "the namespace is being deleted", outcome.Message)
	require.EqualError(t, outcome.Err, w.at().String()+": the namespace is being deleted")
	assert.False(t, apierr.IsTerminal(outcome.Err), "it may come back")
}

func TestNamespaceThatDoesNotExistIsTriedAgain(t *testing.T) {
	w := newFixture(t, configMaps)
	outcome := w.writer.Apply(t.Context(), w.set, w.copyIn("nowhere", settings("red")))
	assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
	assert.Equal(t, `the copy cannot be created; the operator retries (namespaces "nowhere" not found)`, outcome.Message)
	require.EqualError(t, outcome.Err, `nowhere/settings: the copy cannot be created; the operator retries (namespaces "nowhere" not found)`)
	assert.True(t, apierrors.IsNotFound(outcome.Err))
}

func TestRefusedWriteIsTriedAgain(t *testing.T) {
	w := newFixture(t, configMaps)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	w.apply(settings("red"))
	w.use(nobody)
	outcome := w.apply(settings("blue"))
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.True(t, apierrors.IsForbidden(outcome.Err), "%v", outcome.Err)
	assert.Contains(t, outcome.Message, `the copy cannot be updated and keeps its old content; allow it, or change this rule (configmaps "settings" is forbidden: User "nobody" cannot patch resource`)
	assert.Equal(t, w.at().String()+": "+outcome.Message, outcome.Err.Error())
	assert.Equal(t, "red", color(w.get()))
}

func TestCopyThatTheAPIServerFindsInvalid(t *testing.T) {
	w := newFixture(t, configMaps)
	w.rule.Spec.Destination.Name = "Not_A_Name"
	outcome := w.apply(settings("red"))
	assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
	assert.Equal(t, "the copy cannot be created; set another destination.name (the object is invalid: metadata.name (FieldValueInvalid))",
		outcome.Message)
	require.Error(t, outcome.Err)
}
