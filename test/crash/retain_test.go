package crash_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// serveWorld runs a manager for the rules of this world only, as a user of its own.
func (w *world) serveWorld() *manager.InProcess {
	w.T.Helper()
	config, err := cluster.ConfigFor(w.user(), "system:masters")
	require.NoError(w.T, err)
	operator := manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = worldLabel + "=" + w.id })
	w.T.Cleanup(operator.Kill)
	return operator
}

// startsWithoutWriting starts a manager for the rules of this world, as that user, and expects that it comes to rest without a write.
func (w *world) startsWithoutWriting(user string) {
	w.T.Helper()
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(w.T, err)
	mark := fixture.Mark(w.T, cluster)
	operator := manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = worldLabel + "=" + w.id })
	w.T.Cleanup(operator.Kill)
	for _, request := range quiet(w.T, mark, user, 1) {
		assert.False(w.T, isWrite(request), "%s", request)
	}
}

func (w *world) user() string { return "operator-of-" + w.id }

// rests returns when the manager of this world has sent no request for a second.
func (w *world) rests() {
	w.T.Helper()
	for mark := fixture.Mark(w.T, cluster); ; {
		<-time.After(time.Second)
		requests := fixture.RequestsSince(w.T, cluster, mark, w.user())
		if len(requests) == 0 {
			return
		}
		mark = fixture.Mark(w.T, cluster)
	}
}

// retaining creates a source, and a rule that retains its copies for the causes.
func (w *world) retaining(causes ...v1.RetainCause) {
	w.T.Helper()
	sourceAndRule(w)
	list, err := json.Marshal(causes)
	require.NoError(w.T, err)
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"policy":{"retain":%s}}}`, list))
}

// live returns an object as it is; nil if there is none.
func (w *world) live(object *unstructured.Unstructured) *unstructured.Unstructured {
	w.T.Helper()
	err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.T, err)
	return object
}

// eachCopy reports whether there is an object in the place of each copy, and the function holds of it.
func (w *world) eachCopy(holds func(*unstructured.Unstructured) bool) bool {
	w.T.Helper()
	for _, role := range []string{one, two} {
		if copied := w.live(w.object("ConfigMap", role, "settings")); copied == nil || !holds(copied) {
			return false
		}
	}
	return true
}

func isOrdinary(object *unstructured.Unstructured) bool {
	_, marked := object.GetLabels()[v1.LabelOwnedByClusterProjectionUID]
	for annotation := range object.GetAnnotations() {
		marked = marked || strings.HasPrefix(annotation, v1.Domain)
	}
	color, _, _ := unstructured.NestedString(object.Object, "data", "color")
	return !marked && color == "red"
}

func isCopy(object *unstructured.Unstructured) bool {
	return object.GetAnnotations()[v1.AnnotationOwnedByClusterProjection] != ""
}

// ready returns the reason of the condition Ready of the rule, if that is about the rule as it is.
func (w *world) ready() string { return w.condition(v1.ConditionReady).Reason }

// says returns the message of a condition of the rule, if that is about the rule as it is.
func (w *world) says(conditionType string) string { return w.condition(conditionType).Message }

func (w *world) condition(conditionType string) metav1.Condition {
	rule := w.rule("rule")
	if err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule); err != nil {
		return metav1.Condition{}
	}
	var status struct {
		Status v1.CommonStatus `json:"status"`
	}
	require.NoError(w.T, runtime.DefaultUnstructuredConverter.FromUnstructured(rule.Object, &status))
	said := meta.FindStatusCondition(status.Status.Conditions, conditionType)
	if said == nil || status.Status.ObservedGeneration != rule.GetGeneration() {
		return metav1.Condition{}
	}
	return *said
}

func TestRetainedCopiesOutliveAKillAtEveryWrite(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		retain v1.RetainCause
		act    func(*world)
		ends   func(*world) bool
	}{
		"rule deleted": {v1.RetainRuleDeleted, func(w *world) { w.Delete(w.rule("rule")) }, func(w *world) bool {
			return w.live(w.rule("rule")) == nil && w.eachCopy(isOrdinary)
		}},
		"targets dropped": {v1.RetainTargetDropped, func(w *world) { w.group(one, false); w.group(two, false) }, func(w *world) bool {
			return w.ready() == v1.ReasonNoMatchingNamespaces && w.eachCopy(isOrdinary)
		}},
		"source gone": {v1.RetainSourceGone, func(w *world) { w.remove(home) }, func(w *world) bool {
			return w.ready() == v1.ReasonSourceDeleted && w.eachCopy(isCopy)
		}},
	}
	for name, test := range tests {
		for _, mode := range []failpoint.Mode{failpoint.Before, failpoint.After} {
			t.Run(fmt.Sprintf("%s/%s", name, mode), func(t *testing.T) {
				t.Parallel()
				for write, came := 1, true; came; write++ {
					w := newWorld(t, "retain", v1.KindClusterProjection)
					operator := w.serveWorld()
					w.retaining(test.retain)
					w.settles()
					operator.Arm(write, mode)
					test.act(w)
					came = w.trips(operator, func() bool { return test.ends(w) })
					operator.Kill()

					w.serveWorld()
					require.Eventuallyf(t, func() bool { return test.ends(w) }, timeout, interval, "killed at write %d", write)
					w.rests()
					require.Truef(t, test.ends(w), "killed at write %d, and all is quiet", write)
				}
			})
		}
	}
}

// TestOptOutOfARuleThatIsDeletedMeanwhile lets the source's owner opt out, and somebody delete the rule, while no operator runs.
func TestOptOutOfARuleThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "retain", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.retaining(v1.RetainRuleDeleted, v1.RetainSourceGone, v1.RetainTargetDropped)
	w.settles()
	require.NoError(t, operator.Stop())
	w.editSource(veto)
	w.Delete(w.rule("rule"))

	w.serveWorld()
	w.settles()
	assert.Empty(t, w.copies(one))
	assert.Empty(t, w.copies(two))
}

func TestRestartWhileTheSourceIsGoneWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "retain", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.retaining(v1.RetainSourceGone)
	w.settles()
	w.remove(home)
	require.Eventually(t, func() bool { return w.ready() == v1.ReasonSourceDeleted }, timeout, interval)
	require.NoError(t, operator.Stop())

	w.startsWithoutWriting("while-the-source-is-gone")
	assert.True(t, w.eachCopy(isCopy))

	w.source()
	require.Eventually(t, func() bool { return w.ready() == v1.ReasonProjected }, timeout, interval)
}

// TestOptOutOutlivesAKillAtEveryWrite kills the operator while it deletes the copies of a source whose owner has opted out. Then the owner
// deletes the source, before another operator begins.
func TestOptOutOutlivesAKillAtEveryWrite(t *testing.T) {
	t.Parallel()
	for _, mode := range []failpoint.Mode{failpoint.Before, failpoint.After} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			t.Parallel()
			isGone := func(w *world) bool {
				return w.live(w.object("ConfigMap", one, "settings")) == nil && w.live(w.object("ConfigMap", two, "settings")) == nil
			}
			for write, came := 1, true; came; write++ {
				w := newWorld(t, "retain", v1.KindClusterProjection)
				operator := w.serveWorld()
				w.retaining(v1.RetainRuleDeleted, v1.RetainSourceGone, v1.RetainTargetDropped)
				w.settles()
				operator.Arm(write, mode)
				w.editSource(veto)
				came = w.trips(operator, func() bool { return isGone(w) && w.ready() == v1.ReasonSourceOptedOut })
				operator.Kill()
				if write == 1 && mode == failpoint.Before { // nobody knows of the opt-out but the API server
					continue
				}
				w.remove(home)

				w.serveWorld()
				require.Eventuallyf(t, func() bool { return isGone(w) }, timeout, interval, "killed at write %d", write)
			}
		})
	}
}

// A kept copy loses its label while no operator runs.
func TestKeptCopyThatLostItsLabelIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "retain", v1.KindClusterProjection)
	operator := w.serveWorld()
	w.retaining(v1.RetainSourceGone)
	w.settles()
	w.remove(home)
	require.Eventually(t, func() bool { return w.ready() == v1.ReasonSourceDeleted }, timeout, interval)
	w.rests()
	require.NoError(t, operator.Stop())
	w.patch(w.object("ConfigMap", one, "settings"), `{"metadata":{"labels":{"projection.sh/owned-by-cluster-projection-uid":null}}}`)

	w.serveWorld()
	require.Eventually(t, func() bool {
		copied := w.live(w.object("ConfigMap", one, "settings"))
		return copied != nil && copied.GetLabels()[v1.LabelOwnedByClusterProjectionUID] != ""
	}, timeout, interval)
	w.rests()
	assert.True(t, w.eachCopy(isCopy))
}
