package integration_test

import (
	"context"
	"fmt"
	"regexp"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
)

const (
	// soon bounds how long a test waits for what is to happen. It is generous: a limit on speed belongs into a benchmark.
	soon = 20 * time.Second
	tick = 10 * time.Millisecond
)

// world is what one test sees of the cluster: a client, and two namespaces of its own. Tests share nothing else, and run
// in parallel.
type world struct {
	t      *testing.T
	client client.Client
	// home is where sources are, away where copies go.
	home, away string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1.AddToScheme(scheme))
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	w := &world{t: t, client: c}
	w.home, w.away = w.namespace("home"), w.namespace("away")
	return w
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// namespace creates a namespace whose name tells the test.
func (w *world) namespace(role string) string {
	w.t.Helper()
	prefix := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(w.t.Name()), "-"), "-")
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprintf("%.40s-%s-", strings.TrimPrefix(prefix, "test"), role)}}
	require.NoError(w.t, w.client.Create(w.t.Context(), namespace))
	return namespace.Name
}

// object parses a manifest. $HOME and $AWAY stand for the namespaces of the test.
func (w *world) object(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	manifest = strings.NewReplacer("$HOME", w.home, "$AWAY", w.away).Replace(manifest)
	object := &unstructured.Unstructured{}
	require.NoError(w.t, yaml.Unmarshal([]byte(manifest), &object.Object))
	return object
}

// apply does what kubectl apply --server-side does, and returns the object as it is then.
func (w *world) apply(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(manifest)
	require.NoError(w.t, w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("user"), client.ForceOwnership))
	return object
}

// create creates the object as kubectl create does.
func (w *world) create(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(manifest)
	require.NoError(w.t, w.client.Create(w.t.Context(), object))
	return object
}

func (w *world) delete(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.client.Delete(w.t.Context(), object)))
}

// dispose deletes an object at the end of a test, when the test's context has ended.
func (w *world) dispose(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.client.Delete(context.Background(), object)))
}

// merge patches the object.
func (w *world) merge(object client.Object, patch string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Patch(w.t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch))))
}

// get reads an object of the kind.
func (w *world) get(like *unstructured.Unstructured, namespace, name string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(like.GroupVersionKind())
	err := w.client.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, object)
	return object, err
}

// exists waits until there is an object of which the condition holds.
func (w *world) exists(like *unstructured.Unstructured, namespace, name string, holds func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	w.t.Helper()
	var found *unstructured.Unstructured
	require.Eventuallyf(w.t, func() bool {
		object, err := w.get(like, namespace, name)
		found = object
		return err == nil && holds(object)
	}, soon, tick, "%s %s/%s is not as it should be", like.GetKind(), namespace, name)
	return found
}

// gone waits until there is no such object.
func (w *world) gone(like *unstructured.Unstructured, namespace, name string) {
	w.t.Helper()
	require.Eventuallyf(w.t, func() bool {
		_, err := w.get(like, namespace, name)
		return apierrors.IsNotFound(err)
	}, soon, tick, "%s %s/%s is still there", like.GetKind(), namespace, name)
}

func anything(*unstructured.Unstructured) bool { return true }

// project creates a Projection of the source into the namespace away.
func (w *world) project(name string, source *unstructured.Unstructured) *v1.Projection {
	w.t.Helper()
	gvk := source.GroupVersionKind()
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.away, Name: name},
		Spec: v1.ProjectionSpec{Source: v1.SourceRef{
			Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: source.GetNamespace(), Name: source.GetName(),
		}},
	}
	require.NoError(w.t, w.client.Create(w.t.Context(), rule))
	return rule
}

// says waits until a condition of the rule has the status and reason, for the rule's present generation.
func (w *world) says(rule owner.Object, conditionType string, status metav1.ConditionStatus, reason string) metav1.Condition {
	w.t.Helper()
	var last *metav1.Condition
	if !assert.Eventually(w.t, func() bool {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule); err != nil {
			return false
		}
		last = meta.FindStatusCondition(*rule.GetStatusConditions(), conditionType)
		return last != nil && last.Status == status && last.Reason == reason && last.ObservedGeneration == rule.GetGeneration()
	}, soon, tick) {
		require.FailNowf(w.t, "the rule does not say so", "%s is to be %s/%s; the conditions are %+v", conditionType, status, reason, *rule.GetStatusConditions())
	}
	return *last
}

func (w *world) ready(rule *v1.Projection) {
	w.t.Helper()
	w.says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
}

// data returns an entry of a ConfigMap.
func data(object *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(object.Object, "data", key)
	return value
}

// configMap is the manifest of a source that consents.
const configMap = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: $HOME
  annotations: {projection.sh/projectable: "true"}
data: {color: red, size: "1"}
`
