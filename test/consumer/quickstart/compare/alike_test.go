package compare_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/quickstart/kit"
	"shop.example.com/webapp/quickstart/plain"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"projection.sh/operator/test/env"
)

var (
	cluster *env.Environment
	scheme  = runtime.NewScheme()
)

func TestMain(m *testing.M) {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	os.Exit(env.Main(m, &cluster, env.WithCRDs("../../crd")))
}

const grace = time.Hour

// operators returns one of the operators, and the names of both.
var operators = map[string]func(client.Client, events.EventRecorder) reconcile.Reconciler{
	"kit": func(c client.Client, recorder events.EventRecorder) reconcile.Reconciler {
		return &kit.Reconciler{Client: c, Events: recorder, GracePeriod: grace}
	},
	"plain": func(c client.Client, recorder events.EventRecorder) reconcile.Reconciler {
		return &plain.Reconciler{Client: c, Events: recorder, GracePeriod: grace}
	},
}

// world is a Site in a namespace of its own, which one of the operators reconciles when the test says so.
type world struct {
	*testing.T
	client     client.Client
	key        client.ObjectKey
	reconciler reconcile.Reconciler
	events     *events.FakeRecorder
}

func newWorld(t *testing.T, operator string) *world {
	t.Helper()
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "site-"}}
	require.NoError(t, c.Create(t.Context(), namespace))
	recorder := events.NewFakeRecorder(100)
	w := &world{
		T: t, client: c, key: client.ObjectKey{Namespace: namespace.Name, Name: "site"},
		reconciler: operators[operator](c, recorder), events: recorder,
	}
	require.NoError(t, c.Create(t.Context(), &v1.Site{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: w.key.Name},
		Spec:       v1.SiteSpec{Image: "nginx:1", Replicas: 2, Pages: map[string]string{"index.html": "hello"}},
	}))
	return w
}

func (w *world) reconcile() ctrl.Result {
	w.Helper()
	result, err := w.reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: w.key})
	require.NoError(w, err)
	return result
}

func (w *world) site() *v1.Site {
	w.Helper()
	site := &v1.Site{}
	require.NoError(w, w.client.Get(w.Context(), w.key, site))
	return site
}

func (w *world) edit(change func(*v1.SiteSpec)) {
	w.Helper()
	site := w.site()
	change(&site.Spec)
	require.NoError(w, w.client.Update(w.Context(), site))
}

func (w *world) pods() *appsv1.Deployment {
	w.Helper()
	pods := &appsv1.Deployment{}
	require.NoError(w, w.client.Get(w.Context(), w.key, pods))
	return pods
}

// stamp plays the Deployment controller and the kubelet.
func (w *world) stamp(replicas, updated, ready int32) {
	w.Helper()
	pods := w.pods()
	pods.Status = appsv1.DeploymentStatus{
		ObservedGeneration: pods.Generation, Replicas: replicas, UpdatedReplicas: updated, ReadyReplicas: ready, AvailableReplicas: ready,
	}
	require.NoError(w, w.client.Status().Update(w.Context(), pods))
}

// says reconciles, and checks the condition.
func (w *world) says(status metav1.ConditionStatus, reason string) ctrl.Result {
	w.Helper()
	result := w.reconcile()
	site := w.site()
	ready := meta.FindStatusCondition(site.Status.Conditions, "Ready")
	require.NotNil(w, ready)
	require.Equal(w, []string{string(status), reason}, []string{string(ready.Status), ready.Reason}, ready.Message)
	assert.Equal(w, site.Generation, ready.ObservedGeneration)
	return result
}

// TestBothDoTheSame takes a Site through its life, once with each operator.
func TestBothDoTheSame(t *testing.T) {
	for name := range operators {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, name)
			w.says(metav1.ConditionFalse, "Creating")
			assert.Len(t, w.events.Events, 3)
			w.stamp(2, 2, 1)
			w.says(metav1.ConditionFalse, "Creating")
			w.stamp(2, 2, 2)
			w.says(metav1.ConditionTrue, "Healthy")
			assert.Len(t, w.events.Events, 3)
			assert.True(t, metav1.IsControlledBy(w.pods(), w.site()))

			t.Log("nothing changes")
			site, pods := w.site(), w.pods()
			w.reconcile()
			assert.Equal(t, site, w.site())
			assert.Equal(t, pods, w.pods())

			t.Log("a new page restarts the pods")
			w.edit(func(s *v1.SiteSpec) { s.Pages = map[string]string{"index.html": "hi"} })
			w.says(metav1.ConditionFalse, "Updating")
			assert.NotEqual(t, pods.Spec.Template.Annotations, w.pods().Spec.Template.Annotations)
			w.stamp(2, 1, 2)
			w.says(metav1.ConditionFalse, "Updating")
			w.stamp(2, 2, 2)
			w.says(metav1.ConditionTrue, "Healthy")

			t.Log("drift is undone, and what others have set stays")
			pods = w.pods()
			pods.Spec.Replicas = new(int32(5))
			pods.Labels = map[string]string{"team": "shop"}
			require.NoError(t, w.client.Update(t.Context(), pods))
			w.reconcile()
			assert.Equal(t, int32(2), *w.pods().Spec.Replicas)
			assert.Equal(t, "shop", w.pods().Labels["team"])
			w.stamp(2, 2, 2)
			w.says(metav1.ConditionTrue, "Healthy")

			t.Log("suspend and resume")
			w.edit(func(s *v1.SiteSpec) { s.Suspended = true })
			w.says(metav1.ConditionFalse, "Suspending")
			assert.Equal(t, int32(0), *w.pods().Spec.Replicas)
			w.stamp(0, 0, 0)
			w.says(metav1.ConditionTrue, "Suspended")
			w.edit(func(s *v1.SiteSpec) { s.Suspended = false })
			w.says(metav1.ConditionFalse, "Updating")
			w.stamp(2, 2, 2)
			w.says(metav1.ConditionTrue, "Healthy")
		})
	}
}

// TestBothGiveUpAfterTheGracePeriod lets it end by an earlier time of the last transition.
func TestBothGiveUpAfterTheGracePeriod(t *testing.T) {
	for name := range operators {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, name)
			result := w.says(metav1.ConditionFalse, "Creating")
			require.Positive(t, result.RequeueAfter)
			site := w.site()
			meta.FindStatusCondition(site.Status.Conditions, "Ready").LastTransitionTime = metav1.NewTime(time.Now().Add(-2 * grace))
			require.NoError(t, w.client.Status().Update(t.Context(), site))
			assert.Zero(t, w.says(metav1.ConditionFalse, "Down").RequeueAfter)
			w.stamp(2, 2, 1)
			w.says(metav1.ConditionFalse, "Degraded")
			w.stamp(2, 2, 2)
			w.says(metav1.ConditionTrue, "Healthy")
		})
	}
}
