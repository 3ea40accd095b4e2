package kit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/golden"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "shop"} }

func web() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	d := &appsv1.Deployment{ObjectMeta: meta("web")}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "registry.example.com/web:2.1.0"}}
	return d
}

func frontend() *corev1.Service {
	return &corev1.Service{ObjectMeta: meta("web"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80}}}}
}

func viewBinding() *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: meta("web-view"), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
	}
}

func migration(version string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: meta("web-migrate-" + version)}
}

// tracing is a mutation for every kind with a pod template.
func tracing(enabled bool) feature.Mutation[primitives.WorkloadMutator] {
	return feature.Mutation[primitives.WorkloadMutator]{
		Name:    "tracing",
		Feature: feature.NewBooleanGate(enabled),
		Mutate: func(m primitives.WorkloadMutator) error {
			m.EnsureContainerEnvVar(corev1.EnvVar{Name: "TRACING", Value: "on"})
			return nil
		},
	}
}

func TestLiftedMutation(t *testing.T) {
	web, err := deployment.NewBuilder(web()).WithMutation(deployment.LiftMutation(tracing(true))).Build()
	require.NoError(t, err)
	object, err := web.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, []corev1.EnvVar{{Name: "TRACING", Value: "on"}}, object.Spec.Template.Spec.Containers[0].Env)
}

func TestFrontend(t *testing.T) {
	frontend, err := deployment.NewBuilder(web()).WithMutation(deployment.LiftMutation(tracing(true))).Build()
	require.NoError(t, err)
	golden.AssertYAML(t, "testdata/frontend.yaml", frontend, golden.WithScheme(scheme.Scheme), golden.Update(*update))
}

func TestTaskThatIsKept(t *testing.T) {
	migrate, err := job.NewBuilder(migration("2.1.0")).
		WithCustomSuspendDeletionDecision(func(*batchv1.Job) bool { return false }).
		Build()
	require.NoError(t, err)
	assert.False(t, migrate.DeleteOnSuspend())
}

func TestPortOfAService(t *testing.T) {
	api, err := service.NewBuilder(frontend()).WithMutation(service.Mutation{
		Name: "metrics-port",
		Mutate: func(m *service.Mutator) error {
			m.EditServiceSpec(func(e *editors.ServiceSpecEditor) error {
				e.EnsurePort(corev1.ServicePort{Name: "metrics", Port: 9090})
				return nil
			})
			return nil
		},
	}).Build()
	require.NoError(t, err)
	object, err := api.PreviewObject()
	require.NoError(t, err)
	assert.Len(t, object.Spec.Ports, 2)
}

// restartOn restarts the pods when the content of the ConfigMap changes.
func restartOn(settings *configmap.Resource) deployment.Mutation {
	return deployment.Mutation{
		Name: "checksum",
		Mutate: func(m *deployment.Mutator) error {
			hash, err := settings.DesiredHash()
			if err != nil {
				return err
			}
			m.EditPodTemplateMetadata(func(e *editors.ObjectMetaEditor) error {
				e.EnsureAnnotation("shop.example.com/settings", hash)
				return nil
			})
			return nil
		},
	}
}

func TestRestartOn(t *testing.T) {
	hashOf := func(theme string) string {
		settings, err := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: meta("web"), Data: map[string]string{"theme": theme}}).Build()
		require.NoError(t, err)
		built, err := deployment.NewBuilder(web()).WithMutation(restartOn(settings)).Build()
		require.NoError(t, err)
		object, err := built.PreviewObject()
		require.NoError(t, err)
		return object.Spec.Template.Annotations["shop.example.com/settings"]
	}
	dark := hashOf("dark")
	assert.NotEmpty(t, dark)
	assert.Equal(t, dark, hashOf("dark"))
	assert.NotEqual(t, dark, hashOf("light"))
}

func TestSubjectOfABinding(t *testing.T) {
	binding, err := rolebinding.NewBuilder(viewBinding()).WithMutation(rolebinding.Mutation{
		Name: "web-reads",
		Mutate: func(m *rolebinding.Mutator) error {
			m.EditSubjects(func(e *editors.BindingSubjectsEditor) error {
				e.EnsureServiceAccount("web", "shop")
				return nil
			})
			return nil
		},
	}).Build()
	require.NoError(t, err)
	object, err := binding.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: "web", Namespace: "shop"}}, object.Subjects)
}

func TestServiceMonitor(t *testing.T) {
	monitor, err := static.NewBuilder(&uns.Unstructured{Object: map[string]any{
		"apiVersion": "monitoring.coreos.com/v1",
		"kind":       "ServiceMonitor",
		"metadata":   map[string]any{"name": "web", "namespace": "shop"},
	}}).WithMutation(unstructured.Mutation{
		Name: "port",
		Mutate: func(m *unstructured.Mutator) error {
			m.EditContent(func(e *editors.UnstructuredContentEditor) error {
				return e.SetNestedField("metrics", "spec", "port")
			})
			return nil
		},
	}).Build()
	require.NoError(t, err)
	object, err := monitor.PreviewObject()
	require.NoError(t, err)
	port, _, err := uns.NestedString(object.Object, "spec", "port")
	require.NoError(t, err)
	assert.Equal(t, "metrics", port)
}
