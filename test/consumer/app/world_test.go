package app_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/metrics"
)

// world is a namespace of its own with an operator that reconciles when the test says so. There are no controllers: the tests
// write what they and the kubelet would write.
type world struct {
	*testing.T
	client     client.WithWatch
	namespace  string
	reconciler *app.Reconciler
	events     *events.FakeRecorder
	metrics    *prometheus.Registry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := client.NewWithWatch(cluster(t), client.Options{Scheme: scheme})
	require.NoError(t, err)
	w := &world{T: t, client: c, events: events.NewFakeRecorder(1000), metrics: prometheus.NewRegistry()}
	w.namespace = w.newNamespace()
	conditions, collectors := metrics.NewOperatorConditionsGauge("webapp"), metrics.NewCollectors()
	w.metrics.MustRegister(conditions, collectors)
	w.reconciler = &app.Reconciler{Client: c, Live: c, Events: w.events, Metrics: metrics.NewRecorder("webapp", conditions, collectors)}
	return w
}

func (w *world) newNamespace() string {
	w.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "webapp-"}}
	require.NoError(w, w.client.Create(w.Context(), namespace))
	return namespace.Name
}

// newTeam creates a namespace that accepts credentials.
func (w *world) newTeam() string {
	w.Helper()
	name := w.newNamespace()
	w.accept(name)
	return name
}

// accept lets a namespace accept credentials, as its admin does.
func (w *world) accept(name string) {
	w.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	label := `{"metadata":{"labels":{"shop.example.com/accepts-credentials":"true"}}}`
	require.NoError(w, w.client.Patch(w.Context(), namespace, client.RawPatch(types.MergePatchType, []byte(label))))
}

// webApp is an app of two pods that asks for nothing special, with changes.
func webApp(namespace string, changes ...func(*v1.WebAppSpec)) *v1.WebApp {
	created := &v1.WebApp{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec: v1.WebAppSpec{
			Version: "2.1.0", Image: "registry.example.com/web", Replicas: new(int32(2)), Config: map[string]string{"theme": "dark"},
		},
	}
	for _, change := range changes {
		change(&created.Spec)
	}
	return created
}

// create creates an app.
func (w *world) create(changes ...func(*v1.WebAppSpec)) {
	w.Helper()
	require.NoError(w, w.client.Create(w.Context(), webApp(w.namespace, changes...)))
}

// edit changes the spec of the app as its user does, also while a manager writes its status.
func (w *world) edit(change func(*v1.WebAppSpec)) {
	w.Helper()
	require.NoError(w, retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := w.app()
		change(&live.Spec)
		return w.client.Update(w.Context(), live)
	}))
}

// reconcile lets the operator reconcile the app once.
func (w *world) reconcile() ctrl.Result {
	w.Helper()
	result, err := w.tryReconcile()
	require.NoError(w, err)
	return result
}

func (w *world) tryReconcile() (ctrl.Result, error) {
	return w.reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: w.namespace, Name: "web"}})
}

// running creates an app, and plays all controllers until it is ready.
func (w *world) running(changes ...func(*v1.WebAppSpec)) {
	w.Helper()
	w.create(changes...)
	w.reconcile()
	w.finishMigration()
	w.reconcile()
	w.rollOut()
	w.reconcile()
	w.says(v1.Ready, metav1.ConditionTrue, component.Healthy)
	w.eventsSoFar()
}

func (w *world) app() *v1.WebApp {
	w.Helper()
	return get(w, &v1.WebApp{}, "web")
}

// get reads an object of the namespace.
func get[T client.Object](w *world, into T, name string) T {
	w.Helper()
	require.NoError(w, w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, into))
	return into
}

// absent checks that there is no such object in the namespace.
func (w *world) absent(kind client.Object, name string) {
	w.Helper()
	err := w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, kind)
	require.NoError(w, client.IgnoreNotFound(err))
	require.Error(w, err, "%T %s exists", kind, name)
}

func (w *world) condition(conditionType component.ConditionType) metav1.Condition {
	w.Helper()
	condition := meta.FindStatusCondition(w.app().Status.Conditions, string(conditionType))
	require.NotNil(w, condition, "no condition %s", conditionType)
	return *condition
}

// says checks a condition, for the present generation, and returns its message.
func (w *world) says(conditionType component.ConditionType, status metav1.ConditionStatus, reason component.Status) string {
	w.Helper()
	condition := w.condition(conditionType)
	require.Equal(w, []string{string(status), string(reason)}, []string{string(condition.Status), condition.Reason}, condition.Message)
	assert.Equal(w, w.app().Generation, condition.ObservedGeneration)
	return condition.Message
}

// eventsSoFar returns the events since it was called last.
func (w *world) eventsSoFar() []string {
	recorded := []string{}
	for {
		select {
		case event := <-w.events.Events:
			recorded = append(recorded, event)
		default:
			return recorded
		}
	}
}
