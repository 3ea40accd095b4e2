package hostile_test

import (
	"context"
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
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

const (
	soon = 30 * time.Second
	tick = 20 * time.Millisecond
)

// world is two namespaces of one test: sources are at home, copies go away. Tests run in parallel.
type world struct {
	t          *testing.T
	client     client.Client
	home, away string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t, client: clientFor(t, cluster.Config)}
	w.home, w.away = w.namespace(nil), w.namespace(nil)
	return w
}

func clientFor(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1.AddToScheme(scheme))
	c, err := client.New(config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return c
}

func (w *world) namespace(labels map[string]string) string {
	w.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "hostile-", Labels: labels}}
	require.NoError(w.t, w.client.Create(w.t.Context(), namespace))
	return namespace.Name
}

// object parses a manifest. $HOME and $AWAY stand for the namespaces of the test.
func (w *world) object(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	filled := strings.NewReplacer("$HOME", w.home, "$AWAY", w.away).Replace(manifest)
	require.NoError(w.t, yaml.Unmarshal([]byte(filled), &object.Object))
	return object
}

func (w *world) create(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(manifest)
	require.NoError(w.t, w.client.Create(w.t.Context(), object))
	return object
}

func (w *world) delete(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.client.Delete(context.Background(), object)))
}

func (w *world) merge(object client.Object, patch string) {
	w.t.Helper()
	patch = strings.NewReplacer("$HOME", w.home, "$AWAY", w.away).Replace(patch)
	require.NoError(w.t, w.client.Patch(w.t.Context(), object, rawMerge(patch)))
}

// read returns the object as it is now, nil if there is none.
func (w *world) read(like *unstructured.Unstructured, namespace, name string) *unstructured.Unstructured {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(like.GroupVersionKind())
	err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return object
}

// unchanged checks that the object is there, to the byte.
func (w *world) unchanged(object *unstructured.Unstructured) {
	w.t.Helper()
	now := w.read(object, object.GetNamespace(), object.GetName())
	require.NotNil(w.t, now, "it is gone")
	assert.Equal(w.t, object.Object, now.Object)
}

// becomes waits until there is a copy away of which the condition holds.
func (w *world) becomes(source *unstructured.Unstructured, holds func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	w.t.Helper()
	var found *unstructured.Unstructured
	require.Eventually(w.t, func() bool {
		found = w.read(source, w.away, source.GetName())
		return found != nil && holds(found)
	}, soon, tick)
	return found
}

// gone waits until there is no such object.
func (w *world) gone(object client.Object) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		found := object.DeepCopyObject().(client.Object)
		return apierrors.IsNotFound(w.client.Get(context.Background(), client.ObjectKeyFromObject(object), found))
	}, soon, tick)
}

// project creates a Projection of the source into the namespace away.
func (w *world) project(source *unstructured.Unstructured, adapt ...func(*v1.Projection)) *v1.Projection {
	w.t.Helper()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.away, GenerateName: "rule-"},
		Spec:       v1.ProjectionSpec{Source: refTo(source)},
	}
	for _, change := range adapt {
		change(rule)
	}
	require.NoError(w.t, w.client.Create(w.t.Context(), rule))
	return rule
}

func refTo(source *unstructured.Unstructured) v1.SourceRef {
	gvk := source.GroupVersionKind()
	return v1.SourceRef{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: source.GetNamespace(), Name: source.GetName()}
}

// everywhere creates a ClusterProjection of the source into namespaces with the label, and deletes it after the test.
func (w *world) everywhere(source *unstructured.Unstructured, key, value string) *v1.ClusterProjection {
	w.t.Helper()
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "rule-"},
		Spec: v1.ClusterProjectionSpec{
			Source:      refTo(source),
			Destination: v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{key: value}}},
		},
	}
	require.NoError(w.t, w.client.Create(w.t.Context(), rule))
	w.t.Cleanup(func() {
		w.delete(rule)
		w.gone(rule)
	})
	return rule
}

// says waits until the rule is ready, or not, for the reason, and returns the message.
func (w *world) says(rule owner.Object, reason string) string {
	w.t.Helper()
	var last *metav1.Condition
	if !assert.Eventually(w.t, func() bool {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule); err != nil {
			return false
		}
		last = meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionReady)
		return last != nil && last.Reason == reason && last.ObservedGeneration == rule.GetGeneration()
	}, soon, tick) {
		require.FailNowf(w.t, "the rule does not say so", "%s is expected, the conditions are %+v", reason, *rule.GetStatusConditions())
	}
	return last.Message
}

func (w *world) ready(rule owner.Object) {
	w.t.Helper()
	w.says(rule, v1.ReasonProjected)
}

func anything(*unstructured.Unstructured) bool { return true }

// entry returns an entry of a ConfigMap or Secret.
func entry(object *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(object.Object, "data", key)
	return value
}

// configMap is the manifest of a source that consents.
const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
data: {color: red}
`

func rawMerge(patch string) client.Patch {
	return client.RawPatch("application/merge-patch+json", []byte(patch))
}
