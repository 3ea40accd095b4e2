package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// workload is the manifest of a Deployment that consents.
const workload = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {color: red}}
    spec: {containers: [{name: web, image: "example.com/web:1"}]}
`

// healthy is a rule with the Deployments that it makes. There is no kubelet: the test writes the statuses of pods.
type healthy struct{ *staged }

// workloads makes a rule whose Deployments have to be healthy: first the one in the canary, then the others.
func workloads(t *testing.T, rollout string) *healthy {
	t.Helper()
	w := &healthy{&staged{world: newWorld(t)}}
	w.source = w.Apply(workload)
	w.others = []string{w.member(w.selected()), w.member(w.selected())}
	w.canary = w.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, w.Home))
	slices.Sort(w.others)
	w.rule = w.fanOut(w.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {until: Healthy, `+rollout+`}`)
	return w
}

const inWaves = `waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}}]`

// works has the pods of that color in the namespaces be ready, or not.
func (w *healthy) works(color string, isReady bool, namespaces ...string) {
	w.T.Helper()
	status := metav1.ConditionFalse
	if isReady {
		status = metav1.ConditionTrue
	}
	patch := fmt.Sprintf(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":%q}]}}`, status)
	for _, namespace := range namespaces {
		require.Eventually(w.T, func() bool {
			var pods corev1.PodList
			require.NoError(w.T, w.Client.List(w.T.Context(), &pods, client.InNamespace(namespace)))
			return slices.ContainsFunc(pods.Items, func(pod corev1.Pod) bool {
				return pod.Annotations["color"] == color && pod.DeletionTimestamp == nil &&
					w.Client.Status().Patch(w.T.Context(), &pod, client.RawPatch(types.MergePatchType, []byte(patch))) == nil
			})
		}, env.Timeout, env.Interval, "no pod in %s is %s", namespace, color)
	}
}

// reads counts the reads of copies.
func (w *healthy) reads(requests []env.Request) (reads int) {
	for _, request := range requests {
		if request.Verb == "get" && request.Resource == "deployments" && request.Namespace != w.Home {
			reads++
		}
	}
	return reads
}

func (w *healthy) paint(color string) {
	w.Merge(w.source, `{"spec":{"template":{"metadata":{"annotations":{"color":"`+color+`"}}}}}`)
}

func colorOf(o *unstructured.Unstructured) string {
	color, _, _ := unstructured.NestedString(o.Object, "spec", "template", "metadata", "annotations", "color")
	return color
}

// colors returns what the copies in the canary and in the other namespaces have; empty: there is none.
func (w *healthy) colors() []string {
	w.T.Helper()
	var colors []string
	for _, namespace := range append([]string{w.canary}, w.others...) {
		copied, err := w.Get(w.source, namespace, "settings")
		if require.NoError(w.T, client.IgnoreNotFound(err)); err != nil {
			copied = &unstructured.Unstructured{Object: map[string]any{}}
		}
		colors = append(colors, colorOf(copied))
	}
	return colors
}

// reports waits until the rule is not ready for that reason and with that message.
func (w *healthy) reports(reason, message string) {
	w.T.Helper()
	var said metav1.Condition
	if !assert.Eventually(w.T, func() bool {
		said = w.Says(w.rule, v1.ConditionReady, metav1.ConditionFalse, reason)
		return said.Message == message
	}, env.Timeout, env.Interval) {
		require.FailNow(w.T, "the message is another one", said.Message)
	}
}

func TestNextWaveWaitsUntilCopiesAreHealthy(t *testing.T) {
	w := workloads(t, inWaves)
	w.reports(v1.ReasonRolloutInProgress, "wave 1 of 2: 1 of 3 copies have the present content; 1 of them is not healthy yet")
	assert.Equal(t, []string{"red", "", ""}, w.colors())
	w.works("red", true, w.canary)
	w.reports(v1.ReasonRolloutInProgress, "wave 2 of 2: 3 of 3 copies have the present content; 2 of them are not healthy yet")
	assert.Equal(t, &v1.RolloutStatus{Introduced: true, Wave: 2}, w.rule.Status.Rollout)
	w.works("red", true, w.others...)
	w.Ready(w.rule)
	assert.Equal(t, &v1.RolloutStatus{Introduced: true}, w.rule.Status.Rollout)

	requests := w.requestsOn(append(w.others, w.canary), func() {
		w.paint("blue")
		w.reports(v1.ReasonRolloutInProgress, "wave 1 of 2: 1 of 3 copies have the present content; 1 of them is not healthy yet")
		w.settles()
		assert.Equal(t, []string{"blue", "red", "red"}, w.colors())
		w.works("blue", true, w.canary)
		w.works("blue", true, w.others...)
		w.Ready(w.rule)
		w.settles()
	})
	assert.Equal(t, 3, count(requests, "patch", "deployments"), "%v", requests)
	assert.LessOrEqual(t, w.reads(requests), 2*3, "%v", requests)
	assert.Equal(t, []string{"blue", "blue", "blue"}, w.colors())

	t.Run("nothing is read any more", func(t *testing.T) {
		assert.Empty(t, w.requestsOn(append(w.others, w.canary), func() {
			w.works("blue", false, w.canary)
			w.settles()
		}))
		w.Ready(w.rule)
	})
}

func TestCopyThatDoesNotBecomeHealthyHoldsTheRollout(t *testing.T) {
	w := workloads(t, inWaves+`, progressDeadlineSeconds: 3`)
	w.works("red", true, w.canary)
	w.works("red", true, w.others...)
	w.Ready(w.rule)
	w.paint("blue")
	unhealthy := `it has the present content, but was not healthy 3 s after it was changed: Waiting for replicas: 0/1 ready; ` +
		`nothing is undone; repair it, or change the source`
	message := `held in wave 1 of 2: 1 of 1 copies failed, and 0 may; 2 copies wait: Deployment ` + w.canary + `/settings: ` + unhealthy
	w.reports(v1.ReasonRolloutHeld, message)
	w.Says(w.rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRolloutHeld)
	failed := []v1.NamespaceFailure{{
		Namespace: w.canary, Reason: v1.ReasonDestinationNotHealthy, Message: unhealthy,
	}}
	assert.Equal(t, failed, w.rule.Status.Failures)
	assert.Equal(t, []int32{0, 1, 2}, []int32{*w.rule.Status.NamespacesWritten, *w.rule.Status.NamespacesFailed, *w.rule.Status.NamespacesHeld})
	w.settles()
	assert.Equal(t, []string{"blue", "red", "red"}, w.colors())

	t.Run("the source is corrected", func(t *testing.T) {
		w.paint("green")
		w.works("green", true, w.canary)
		w.works("green", true, w.others...)
		w.Ready(w.rule)
	})
	t.Run("a copy becomes healthy after all", func(t *testing.T) {
		w.paint("white")
		w.Says(w.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
		w.works("white", true, w.canary)
		w.works("white", true, w.others...)
		w.Ready(w.rule)
	})
	t.Run("no copy waits for the one that does not", func(t *testing.T) {
		w.paint("black")
		w.works("black", true, w.canary)
		w.works("black", true, w.others[0])
		w.Says(w.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
		w.Says(w.rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonDestinationNotHealthy)
		w.counts(w.rule, 2, 1)
		w.works("black", true, w.others[1])
		w.Ready(w.rule)
	})
	t.Run("it may fail", func(t *testing.T) {
		w.Merge(w.rule, `{"spec":{"rollout":{"maxFailures":1}}}`)
		w.paint("grey")
		w.works("grey", true, w.others...)
		w.counts(w.rule, 2, 1)
	})
	t.Run("the source is reverted", func(t *testing.T) {
		w.Merge(w.rule, `{"spec":{"rollout":{"maxFailures":null}}}`)
		w.paint("black")
		w.works("black", true, w.canary)
		w.works("black", true, w.others...)
		w.Ready(w.rule)
	})
	t.Run("copies need not be healthy any more", func(t *testing.T) {
		w.paint("pink")
		w.Says(w.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRolloutHeld)
		w.Merge(w.rule, `{"spec":{"rollout":{"until":null,"progressDeadlineSeconds":null}}}`)
		w.counts(w.rule, 3, 0)
		w.Ready(w.rule)
	})
}

// TestCopiesWithoutAStatusAreNotRead has ConfigMaps, which are healthy once they are written.
func TestCopiesWithoutAStatusAreNotRead(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	namespaces := []string{w.member(w.selected()), w.member(w.selected())}
	rule := w.fanOut(source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  rollout: {until: Healthy, maxUnavailable: 1}`)
	w.counts(rule, 2, 0)
	w.Ready(rule)
	requests := w.requestsOn(namespaces, func() {
		w.Merge(source, `{"data":{"color":"blue"}}`)
		for _, namespace := range namespaces {
			w.Exists(source, namespace, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
		}
		w.settles()
	})
	assert.Equal(t, 2, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, 1, count(requests, "get", "configmaps"), "%v", requests)
}

// TestChangeOfOneNamespaceDoesNotWait has two copies wait for their turn whose content has a label of their namespace.
func TestChangeOfOneNamespaceDoesNotWait(t *testing.T) {
	s := &staged{world: newWorld(t)}
	s.source = s.Apply(configMap)
	s.canary = s.member(fmt.Sprintf(`{"group":%q,"canary":"yes","team":"a"}`, s.Home))
	s.others = []string{s.member(fmt.Sprintf(`{"group":%q,"team":"a"}`, s.Home)), s.member(fmt.Sprintf(`{"group":%q,"team":"a"}`, s.Home))}
	slices.Sort(s.others)
	s.rule = s.fanOut(s.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  overlay: {fields: [{path: data.team, expression: "target.labels['team']"}]}
  rollout: {waves: [{namespaceSelector: {matchLabels: {canary: "yes"}}}]}`)
	s.counts(s.rule, 3, 0)
	s.Ready(s.rule)
	s.Merge(s.rule, bakes)
	s.Ready(s.rule)
	s.paint("blue")
	s.waits()
	has := func(color, team string) func(*unstructured.Unstructured) bool {
		return func(o *unstructured.Unstructured) bool { return data(o, "color") == color && data(o, "team") == team }
	}
	s.label(s.canary, `{"team":"b"}`)
	s.Exists(s.source, s.canary, "settings", has("blue", "b"))
	s.label(s.others[0], `{"team":"b"}`)
	s.settles()
	s.Exists(s.source, s.others[0], "settings", has("red", "a"))
	s.Merge(s.rule, passes)
	s.counts(s.rule, 3, 0)
	s.Exists(s.source, s.others[0], "settings", has("blue", "b"))

	s.Merge(s.rule, `{"spec":{"rollout":{"waves":null,"maxUnavailable":1,"minReadySeconds":3600}}}`)
	s.label(s.canary, `{"team":"c"}`)
	s.label(s.others[0], `{"team":"c"}`)
	s.label(s.others[1], `{"team":"c"}`)
	for _, namespace := range append(s.others, s.canary) {
		s.Exists(s.source, namespace, "settings", has("blue", "c"))
	}
}
