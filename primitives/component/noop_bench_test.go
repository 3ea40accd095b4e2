package component_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/serviceaccount"
)

// five are the objects of a small application.
type five struct {
	account    corev1.ServiceAccount
	settings   corev1.ConfigMap
	password   corev1.Secret
	deployment appsv1.Deployment
	service    corev1.Service
}

// newFive returns the objects with nothing but their names.
func (w *world) newFive() *five {
	at := w.meta("web")
	return &five{
		corev1.ServiceAccount{ObjectMeta: at}, corev1.ConfigMap{ObjectMeta: at}, corev1.Secret{ObjectMeta: at},
		appsv1.Deployment{ObjectMeta: at}, corev1.Service{ObjectMeta: at},
	}
}

// want fills in what the application wants, and leaves the rest as it is.
func (f *five) want() {
	labels := map[string]string{"app": "web"}
	f.account.AutomountServiceAccountToken = new(false)
	f.settings.Data = map[string]string{"theme": "dark"}
	f.password.Data = map[string][]byte{"password": []byte("secret")}
	spec := &f.deployment.Spec
	spec.Replicas, spec.Selector, spec.Template.Labels = new(int32(2)), &metav1.LabelSelector{MatchLabels: labels}, labels
	if len(spec.Template.Spec.Containers) == 0 {
		spec.Template.Spec.Containers = make([]corev1.Container, 1)
	}
	spec.Template.Spec.Containers[0].Name, spec.Template.Spec.Containers[0].Image = "web", "registry/web:1"
	if len(f.service.Spec.Ports) == 0 {
		f.service.Spec.Ports = make([]corev1.ServicePort, 1)
	}
	f.service.Spec.Selector, f.service.Spec.Ports[0].Port, f.service.Spec.Ports[0].TargetPort = labels, 80, intstr.FromInt32(8080)
}

// component returns the objects as a component.
func (f *five) component(tb testing.TB) *component.Component {
	tb.Helper()
	account, err := serviceaccount.NewBuilder(&f.account).Build()
	require.NoError(tb, err)
	settings, err := configmap.NewBuilder(&f.settings).Build()
	require.NoError(tb, err)
	password, err := secret.NewBuilder(&f.password).Build()
	require.NoError(tb, err)
	workload, err := deployment.NewBuilder(&f.deployment).Build()
	require.NoError(tb, err)
	front, err := service.NewBuilder(&f.service).Build()
	require.NoError(tb, err)
	return buildPart(tb, func(b *component.Builder) {
		b.WithResource(account).WithResource(settings).WithResource(password).WithResource(workload).WithResource(front)
	})
}

// BenchmarkNoOp reconciles five objects that are as they are wanted, with clients that read from the API server: by a
// component, which applies each and compares, and by controller-runtime's CreateOrUpdate, which reads each and compares.
func BenchmarkNoOp(b *testing.B) {
	reconciles := map[string]func(b *testing.B, w *world){
		"component": func(b *testing.B, w *world) {
			b.Helper()
			desired := w.newFive()
			desired.want()
			require.NoError(b, desired.component(b).Reconcile(b.Context(), w.context()))
		},
		"CreateOrUpdate": func(b *testing.B, w *world) {
			b.Helper()
			f := w.newFive()
			for _, object := range []client.Object{&f.account, &f.settings, &f.password, &f.deployment, &f.service} {
				_, err := controllerutil.CreateOrUpdate(b.Context(), w.client, object, func() error {
					f.want()
					return controllerutil.SetControllerReference(w.owner, object, w.client.Scheme())
				})
				require.NoError(b, err)
			}
		},
	}
	for name, reconcile := range reconciles {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			reconcile(b, w)
			w.recorded()
			before := w.get("web", &appsv1.Deployment{}).GetResourceVersion()
			b.ReportAllocs()
			for b.Loop() {
				reconcile(b, w)
			}
			require.Equal(b, before, w.get("web", &appsv1.Deployment{}).GetResourceVersion(), "nothing was written")
		})
	}
}
