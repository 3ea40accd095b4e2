package component_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

const ready = component.ConditionType("Ready")

var errBoom = errors.New("boom")

// world is a namespace of its own with an owner in it.
type world struct {
	testing.TB
	client    client.Client
	namespace string
	owner     *App
	events    *events.FakeRecorder
}

func newWorld(t testing.TB) *world {
	t.Helper()
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme.Scheme})
	require.NoError(t, err)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "kit-"}}
	require.NoError(t, c.Create(t.Context(), namespace))
	w := &world{TB: t, client: c, namespace: namespace.Name, events: events.NewFakeRecorder(100)}
	w.owner = w.newOwner("owner")
	return w
}

func (w *world) newOwner(name string) *App {
	w.Helper()
	owner := &App{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace}}
	require.NoError(w, w.client.Create(w.Context(), owner))
	return owner
}

func (w *world) context() component.ReconcileContext {
	return component.ReconcileContext{Client: w.client, Owner: w.owner, EventRecorder: w.events}
}

// reconcile builds and reconciles a component named "part" that reports Ready.
func (w *world) reconcile(configure func(*component.Builder)) error {
	w.Helper()
	return w.build(configure).Reconcile(w.Context(), w.context())
}

func (w *world) build(configure func(*component.Builder)) *component.Component {
	w.Helper()
	return buildPart(w, configure)
}

func buildPart(t testing.TB, configure func(*component.Builder)) *component.Component {
	t.Helper()
	builder := component.NewComponentBuilder().WithName("part").WithConditionType(ready)
	if configure != nil {
		configure(builder)
	}
	built, err := builder.Build()
	require.NoError(t, err)
	return built
}

func (w *world) condition() metav1.Condition {
	w.Helper()
	condition := meta.FindStatusCondition(w.owner.Status.Conditions, string(ready))
	require.NotNil(w, condition)
	return *condition
}

// requireCondition checks status, reason and message of Ready in memory.
func (w *world) requireCondition(status metav1.ConditionStatus, reason component.Status, message string) {
	w.Helper()
	condition := w.condition()
	require.Equal(w, []string{string(status), string(reason), message},
		[]string{string(condition.Status), condition.Reason, condition.Message})
}

func (w *world) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: w.namespace}
}

func (w *world) get(name string, into client.Object) client.Object {
	w.Helper()
	require.NoError(w, w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into))
	return into
}

func (w *world) configMap(name string) *corev1.ConfigMap {
	w.Helper()
	return w.get(name, &corev1.ConfigMap{}).(*corev1.ConfigMap)
}

func (w *world) requireAbsent(name string, object client.Object) {
	w.Helper()
	err := w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, object)
	require.NoError(w, client.IgnoreNotFound(err))
	require.Error(w, err, "%s exists", name)
}

// applyAs applies data to a ConfigMap as another field manager, by force.
func (w *world) applyAs(manager, name string, data map[string]string) {
	w.Helper()
	configuration := applycorev1.ConfigMap(name, w.namespace).WithData(data)
	require.NoError(w, w.client.Apply(w.Context(), configuration, client.ForceOwnership, client.FieldOwner(manager)))
}

// recorded returns the events so far, without the namespace, and forgets them.
func (w *world) recorded() []string {
	recorded := []string{}
	for {
		select {
		case event := <-w.events.Events:
			recorded = append(recorded, strings.ReplaceAll(event, w.namespace, "<ns>"))
		default:
			return recorded
		}
	}
}

// intercept changes how the client of the world behaves, on top of the real one.
func (w *world) intercept(funcs interceptor.Funcs) {
	c, err := client.NewWithWatch(cluster.Config, client.Options{Scheme: scheme.Scheme})
	require.NoError(w, err)
	w.client = interceptor.NewClient(c, funcs)
}

var counter atomic.Int64

// unique returns a name for a cluster-scoped object.
func unique(prefix string) string { return fmt.Sprintf("%s-%d", prefix, counter.Add(1)) }

func replaceID(text string, resource component.Resource) string {
	return strings.ReplaceAll(text, "<id>", resource.Identity())
}
