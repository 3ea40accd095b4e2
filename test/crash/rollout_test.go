package crash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// staged is a rule whose first wave is namespace three. The waves behind it wait for an hour after each change.
func staged(t *testing.T, lane string) *world {
	t.Helper()
	w := newWorld(t, lane, v1.KindClusterProjection)
	w.source()
	w.projectTo("rule", fmt.Sprintf("{namespaces: [%s, %s, %s]}\n  rollout: {maxUnavailable: 1, waves: [{namespaceSelector: "+
		"{matchLabels: {kubernetes.io/metadata.name: %[3]s}}}]}", w.name(one), w.name(two), w.name(three)))
	w.shows("red", "red", "red")
	w.reports(v1.ReasonProjected)
	w.patch(w.rule("rule"), `{"spec":{"rollout":{"minReadySeconds":3600}}}`)
	w.reports(v1.ReasonProjected)
	return w
}

// reports waits until the rule is served and its condition DestinationWritten has the reason.
func (w *world) reports(reason string) {
	w.T.Helper()
	rule := &v1.ClusterProjection{}
	require.Eventually(w.T, func() bool {
		err := w.Client.Get(w.T.Context(), client.ObjectKey{Name: w.name("rule")}, rule)
		return err == nil && rule.Status.ObservedGeneration == rule.Generation &&
			slices.ContainsFunc(rule.Status.Conditions, func(c metav1.Condition) bool {
				return c.Type == v1.ConditionDestinationWritten && c.Reason == reason
			})
	}, timeout, interval, "%s: %v", reason, rule)
}

// colors returns what the copies in the namespaces one, two and three have; empty: there is none.
func (w *world) colors() []string {
	w.T.Helper()
	colors := make([]string, 3)
	for i, role := range []string{one, two, three} {
		copied := w.object("ConfigMap", role, "settings")
		if err := w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(copied), copied); err == nil {
			colors[i], _, _ = unstructured.NestedString(copied.Object, "data", "color")
		}
	}
	return colors
}

// shows waits until the copies in the namespaces one, two and three have these colors.
func (w *world) shows(colors ...string) {
	w.T.Helper()
	require.Eventually(w.T, func() bool { return slices.Equal(colors, w.colors()) }, timeout, interval, "%v", colors)
}

func (w *world) paint(color string) {
	w.T.Helper()
	w.editSource(`{"data":{"color":"` + color + `"}}`)
}

// TestRolloutGoesOnWhereItWas has a copy stand that was changed half an hour too early for the next one, and starts the operator again.
func TestRolloutGoesOnWhereItWas(t *testing.T) {
	tests := map[string]struct {
		meanwhile func(*world) // while no operator runs
		want      []string
		writes    int
	}{
		"nothing happens": {func(*world) {}, []string{"red", "red", "blue"}, 0},
		// The copy that waits for nothing is written once, which changes nothing.
		"the status is lost":   {(*world).wipeStatus, []string{"red", "red", "blue"}, 1},
		"the source is edited": {func(w *world) { w.paint("green") }, []string{"red", "red", "green"}, 1},
		"the edit is reverted": {func(w *world) { w.paint("red") }, []string{"red", "red", "red"}, 1},
		"a copy that waits is edited": {
			func(w *world) { w.patch(w.object("ConfigMap", two, "settings"), `{"data":{"size":null}}`) }, []string{"red", "blue", "blue"}, 1,
		},
		"a copy that waits is deleted": {
			func(w *world) { w.Delete(w.object("ConfigMap", one, "settings")) }, []string{"blue", "red", "blue"}, 1,
		},
		"a namespace comes into the first wave": {func(w *world) {
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"rollout":{"minReadySeconds":0,"waves":[{"minReadySeconds":3600,"namespaceSelector":`+
				`{"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"In","values":[%q,%q]}]}}]}}}`, w.name(two), w.name(three)))
		}, []string{"red", "red", "blue"}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lane := fmt.Sprintf("rollout-%d", worlds.Add(1))
			first, _ := serve(t, lane, "first")
			w := staged(t, lane)
			w.paint("blue")
			w.shows("red", "red", "blue")
			w.reports(v1.ReasonRolloutInProgress)
			first.Kill()
			test.meanwhile(w)

			mark := fixture.Mark(t, cluster)
			_, user := serve(t, lane, "second")
			w.shows(test.want...)
			writes := 0
			for _, request := range quiet(t, mark, user, 1) {
				if request.Verb == "patch" && request.Resource == "configmaps" {
					writes++
				}
			}
			assert.Equal(t, test.want, w.colors())
			assert.Equal(t, test.writes, writes)
		})
	}
}

// wipeStatus takes everything out of the status of the rule.
func (w *world) wipeStatus() {
	w.T.Helper()
	rule := &v1.ClusterProjection{}
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKey{Name: w.name("rule")}, rule))
	rule.Status = v1.ClusterProjectionStatus{}
	require.NoError(w.T, w.Client.Status().Update(w.T.Context(), rule))
}

// TestRestartDoesNotEndAHalt has the copy in namespace two refused. All copies may be unavailable at a time.
func TestRestartDoesNotEndAHalt(t *testing.T) {
	t.Parallel()
	const lane = "held"
	first, _ := serve(t, lane, "first")
	w := staged(t, lane)
	w.patch(w.rule("rule"), `{"spec":{"rollout":{"minReadySeconds":null,"waves":null,"maxUnavailable":null}}}`)
	allow := w.refuse(one)
	w.paint("blue")
	w.reports(v1.ReasonRolloutHeld)
	want := []string{"red", "red", "red"}
	assert.Equal(t, want, w.colors())
	for _, user := range []string{"second", "third"} {
		first.Kill()
		mark := fixture.Mark(t, cluster)
		first, user = serve(t, lane, user)
		for _, request := range quiet(t, mark, user, 1) {
			assert.False(t, request.Verb == "patch" && request.Namespace != w.name(one) && request.Resource == "configmaps", "%s", request)
		}
		w.reports(v1.ReasonRolloutHeld)
		assert.Equal(t, want, w.colors())
	}
	allow()
	w.shows("blue", "blue", "blue")
	w.reports(v1.ReasonProjected)
}

// refuse has a policy refuse ConfigMaps in the namespace until the function that it returns is called.
func (w *world) refuse(role string) (allow func()) {
	w.T.Helper()
	for _, manifest := range []string{`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $ID}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  validations: [{expression: "false", message: none is wanted here, reason: Forbidden}]
`, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $ID}
spec:
  policyName: $ID
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {refusing: $ID}}}
`} {
		object := w.Create(strings.ReplaceAll(manifest, "$ID", w.id))
		w.T.Cleanup(func() { w.Delete(object) })
	}
	label := func(value string) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.name(role)}}
		w.patch(namespace, `{"metadata":{"labels":{"refusing":`+value+`}}}`)
	}
	label(`"` + w.id + `"`)
	require.Eventually(w.T, func() bool {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.name(role), Name: "probe"}}
		return apierrors.IsForbidden(w.Client.Create(w.T.Context(), probe, client.DryRunAll))
	}, timeout, interval)
	return func() { label("null") }
}

// TestSuspensionAndRestartDoNotEndTheWaitOfCopies suspends a rule whose second wave waits, with content that has another key, and resumes it
// after a restart.
func TestSuspensionAndRestartDoNotEndTheWaitOfCopies(t *testing.T) {
	t.Parallel()
	const lane = "rollout-suspended"
	first, _ := serve(t, lane, "first")
	w := staged(t, lane)
	w.editSource(`{"data":{"color":"blue","shape":"round"}}`)
	w.shows("red", "red", "blue")
	w.reports(v1.ReasonRolloutInProgress)
	w.suspend(true)
	w.reports(v1.ReasonSuspended)
	require.NoError(t, first.Stop())
	mark := fixture.Mark(t, cluster)
	_, user := serve(t, lane, "second")
	quiet(t, mark, user, 1)
	mark = fixture.Mark(t, cluster)
	w.suspend(false)
	w.reports(v1.ReasonRolloutInProgress)
	for _, request := range quiet(t, mark, user, 1) {
		assert.False(t, request.Verb == "patch" && request.Resource == "configmaps", "%s", request)
	}
	assert.Equal(t, []string{"red", "red", "blue"}, w.colors())
}
