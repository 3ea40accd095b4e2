package component_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

func condition(name, message string) metav1.Condition {
	return metav1.Condition{
		Type: name, Status: metav1.ConditionTrue, Reason: "Because", Message: message, LastTransitionTime: metav1.Now(),
	}
}

// messages returns the messages of the conditions on the server.
func (w *world) messages() map[string]string {
	w.Helper()
	messages := map[string]string{}
	for _, condition := range w.get("owner", &App{}).(*App).Status.Conditions {
		messages[condition.Type] = condition.Message
	}
	return messages
}

// writeElsewhere sets the status of the owner as if another process did.
func (w *world) writeElsewhere(note string, conditions ...metav1.Condition) {
	w.Helper()
	live := w.get("owner", &App{}).(*App)
	live.Status = AppStatus{Note: note, Conditions: conditions}
	require.NoError(w, w.client.Status().Update(w.Context(), live))
}

func TestFlushWritesTheStagedStatus(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(nil))
	assert.Empty(t, w.messages(), "reconciling writes no status")
	w.owner.Status.Note = "staged"

	require.NoError(t, component.FlushStatus(t.Context(), w.context(), nil))

	assert.Equal(t, map[string]string{"Ready": "Component is healthy."}, w.messages())
	assert.Equal(t, "staged", w.get("owner", &App{}).(*App).Status.Note)
	assert.Equal(t, w.get("owner", &App{}).GetResourceVersion(), w.owner.ResourceVersion)
}

func TestFlushAfterAConflictKeepsWhatIsOursAndTakesWhatIsTheirs(t *testing.T) {
	for name, test := range map[string]struct {
		owned bool
		want  map[string]string
	}{
		"with components":    {true, map[string]string{"Ready": "staged", "Theirs": "live", "New": "live"}},
		"without components": {false, map[string]string{"Ready": "live", "Theirs": "live", "New": "live"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.owner.Status = AppStatus{Note: "staged", Conditions: []metav1.Condition{
				condition("Ready", "staged"), condition("Theirs", "staged"), condition("Gone", "staged"),
			}}
			w.writeElsewhere("live", condition("Ready", "live"), condition("Theirs", "live"), condition("New", "live"))
			var comps []*component.Component
			if test.owned {
				comps = append(comps, w.build(nil))
			}

			require.NoError(t, component.FlushStatus(t.Context(), w.context(), comps))

			assert.Equal(t, test.want, w.messages())
			assert.Equal(t, "staged", w.get("owner", &App{}).(*App).Status.Note, "the rest of the status is ours")
		})
	}
}

func TestFlushAfterAConflictKeepsTheConditionsThatItIsGiven(t *testing.T) {
	w := newWorld(t)
	w.owner.Status = AppStatus{Conditions: []metav1.Condition{
		condition("Ready", "staged"), condition("Aggregate", "staged"), condition("Theirs", "staged"),
	}}
	w.writeElsewhere("live", condition("Ready", "live"), condition("Aggregate", "live"), condition("Theirs", "live"), condition("Removed", "live"))

	require.NoError(t, component.FlushStatusOf(t.Context(), w.context(), []*component.Component{w.build(nil)}, "Aggregate", "Removed"))

	assert.Equal(t, map[string]string{"Ready": "staged", "Aggregate": "staged", "Theirs": "live"}, w.messages())
}

func TestFlushReadsTheLiveOwnerThroughTheAPIReader(t *testing.T) {
	w := newWorld(t)
	live := w.client
	w.writeElsewhere("live")
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			t.Error("a read of the cache")
			return nil
		},
	})
	rec := w.context()
	rec.APIReader = live
	require.NoError(t, component.FlushStatus(t.Context(), rec, nil))
}

func TestFlushGivesUpOnAnOwnerThatIsGone(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.client.Delete(t.Context(), w.owner.DeepCopyObject().(client.Object)))
	assert.True(t, apierrors.IsNotFound(component.FlushStatus(t.Context(), w.context(), nil)))
}

func TestFlushDoesNotWriteToASuccessorOfTheOwner(t *testing.T) {
	w := newWorld(t)
	w.owner.Status.Note = "staged"
	require.NoError(t, w.client.Delete(t.Context(), w.owner.DeepCopyObject().(client.Object)))
	successor := w.newOwner("owner")
	err := component.FlushStatus(t.Context(), w.context(), nil)
	assert.True(t, apierrors.IsConflict(err), "%v", err)
	assert.Equal(t, successor.ResourceVersion, w.get("owner", &App{}).GetResourceVersion())
}

func TestFlushReportsThatTheOwnerCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.writeElsewhere("live")
	boom := errors.New("boom")
	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return boom
		},
	})
	require.ErrorIs(t, component.FlushStatus(t.Context(), w.context(), nil), boom)
}
