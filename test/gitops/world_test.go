package gitops_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

const (
	// soon bounds how long a test waits for what is to happen. It is generous: a limit on speed belongs into a benchmark.
	soon = 30 * time.Second
	tick = 20 * time.Millisecond
)

// world is what one test sees of the cluster: a client, and two namespaces of its own.
type world struct {
	t      *testing.T
	client client.Client
	// home is where sources are, away where copies go.
	home, away string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := client.New(cluster.Config, client.Options{})
	require.NoError(t, err)
	w := &world{t: t, client: c}
	for _, name := range []*string{&w.home, &w.away} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "gitops-"}}
		require.NoError(t, c.Create(t.Context(), namespace))
		*name = namespace.Name
	}
	return w
}

// object reads one object. $HOME and $AWAY stand for the namespaces of the test.
func (w *world) object(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(w.t, yaml.Unmarshal([]byte(strings.NewReplacer("$HOME", w.home, "$AWAY", w.away).Replace(manifest)), &object.Object))
	return object
}

// apply applies one object.
func (w *world) apply(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(manifest)
	require.NoError(w.t, w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("user"), client.ForceOwnership))
	return object
}

func (w *world) delete(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, w.client.Delete(w.t.Context(), object))
}

// ends deletes a rule, and waits until nothing holds it.
func (w *world) ends(rule client.Object) {
	w.t.Helper()
	w.delete(rule)
	require.Eventually(w.t, func() bool {
		return apierrors.IsNotFound(w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule))
	}, soon, tick, "the rule is still there")
}

// dispose deletes the object at the end of a test, when the test's context has ended.
func (w *world) dispose(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.client.Delete(context.Background(), object)))
}

// merge patches the object.
func (w *world) merge(object client.Object, patch string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Patch(w.t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))))
}

// says waits until the rule is not ready, or ready, for the reason, and returns it as it is then.
func (w *world) says(rule *unstructured.Unstructured, reason string) *unstructured.Unstructured {
	w.t.Helper()
	live := rule.DeepCopy()
	if !assert.Eventually(w.t, func() bool {
		require.NoError(w.t, w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), live))
		ready := meta.FindStatusCondition(conditions(w.t, live), v1.ConditionReady)
		return ready != nil && ready.Reason == reason && ready.ObservedGeneration == live.GetGeneration()
	}, soon, tick) {
		require.FailNow(w.t, "the rule does not say "+reason, fmt.Sprint(live.Object["status"]))
	}
	return live
}

// conditions returns those of a rule of either kind.
func conditions(t *testing.T, rule *unstructured.Unstructured) []metav1.Condition {
	t.Helper()
	var typed v1.Projection
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(rule.Object, &typed))
	return typed.Status.Conditions
}

// Manifests that several tests need.
const (
	source = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`

	projection = `
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: rule, namespace: $AWAY, labels: {served: ""}}
spec: {source: {kind: ConfigMap, namespace: $HOME, name: settings}}
`
	clusterProjection = `
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY, labels: {served: ""}}
spec: {source: {kind: ConfigMap, namespace: $HOME, name: settings}, destination: {namespaces: [$AWAY]}}
`
	stranger = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $AWAY}}`
)

// of returns the rule with another source.
func of(rule, source string) string {
	return strings.Replace(rule, "kind: ConfigMap, namespace: $HOME, name: settings", source, 1)
}
